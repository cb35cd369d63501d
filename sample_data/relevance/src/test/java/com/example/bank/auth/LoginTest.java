package com.example.bank.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LoginTest {

    private final FixedClock clock = FixedClock.at("2026-03-01T09:00:00Z");
    private final Accounts accounts = Accounts.inMemory();
    private final Login login = new Login(accounts, clock);

    @Test
    void acceptsTheRightPassword() {
        accounts.add("nadia", "correct horse battery staple");

        Session session = login.with("nadia", "correct horse battery staple");

        assertThat(session.user()).isEqualTo("nadia");
    }

    @Test
    void rejectsAWrongPassword() {
        accounts.add("nadia", "correct horse battery staple");

        assertThatThrownBy(() -> login.with("nadia", "wrong")).isInstanceOf(LoginRefused.class);
        assertThat(login.openSessions()).isEmpty();
    }

    @Test
    @Tag("security")
    void locksTheAccountAfterFiveFailures() {
        accounts.add("nadia", "correct horse battery staple");
        for (int i = 0; i < 5; i++) {
            login.attempt("nadia", "guess-" + i);
        }

        assertThat(accounts.find("nadia").locked()).isTrue();
        assertThatThrownBy(() -> login.with("nadia", "correct horse battery staple"))
                .isInstanceOf(AccountLocked.class);
    }

    @Test
    void unlocksAfterAnHour() {
        accounts.add("nadia", "correct horse battery staple");
        accounts.lock("nadia", clock.instant());

        clock.advance(Duration.ofMinutes(61));

        assertThat(login.with("nadia", "correct horse battery staple")).isNotNull();
    }

    @Test
    void sessionExpiresWhenIdle() {
        Session session = login.trusted("nadia");

        clock.advance(Duration.ofMinutes(16));

        assertThat(session.alive()).isFalse();
        assertThatThrownBy(session::balance).isInstanceOf(SessionExpired.class);
    }

    @Test
    void newSessionIdAfterLogin() {
        String before = login.anonymous().id();

        Session session = login.upgrade(before, "nadia", "correct horse battery staple");

        assertThat(session.id()).isNotEqualTo(before);
    }

    @Test
    @DisplayName("greets with the first name")
    void greetsWithTheFirstName() {
        Session session = login.trusted("nadia");

        assertThat(session.greeting()).isEqualTo("Good morning, Nadia");
    }

    @Test
    void remembersTheLastLanguage() {
        Session session = login.trusted("nadia");
        session.speak("cs");

        assertThat(login.trusted("nadia").language()).isEqualTo("cs");
    }
}
