package com.example.bank.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.example.bank.testing.WithUser;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class AccountAccessTest {

    private final Bank bank = Bank.withDemoData();

    @Test
    @WithUser("nadia")
    void ownerReadsHerBalance() {
        assertThat(bank.account("CZ-100").balance()).isEqualTo(Money.czk(1_250));
    }

    @Test
    @WithUser("mallory")
    @Tag("security")
    void strangerCannotReadABalance() {
        assertThatThrownBy(() -> bank.account("CZ-100").balance())
                .isInstanceOf(AccessDenied.class)
                .hasMessageNotContaining("1250");
    }

    @Test
    @WithUser("mallory")
    void guessedAccountNumberLooksLikeAMissingOne() {
        Throwable real = catchThrowable(() -> bank.account("CZ-100"));
        Throwable made = catchThrowable(() -> bank.account("CZ-999"));

        assertThat(real).hasSameClassAs(made).hasMessage(made.getMessage());
    }

    @Test
    @WithUser("clerk-brno")
    void clerkSeesAccountsOfHerBranchOnly() {
        assertThat(bank.accounts()).extracting(Account::branch).containsOnly("Brno");
    }

    @Test
    @WithUser("auditor")
    void auditorReadsButNeverWrites() {
        assertThat(bank.account("CZ-100").balance()).isNotNull();
        assertThatThrownBy(() -> bank.account("CZ-100").rename("Mine"))
                .isInstanceOf(AccessDenied.class);
    }

    @Test
    @WithUser("nadia")
    void closedAccountsAreListedLast() {
        assertThat(bank.accounts()).last().matches(Account::closed);
    }

    @Test
    @WithUser("clerk-brno")
    void revokedRightEndsOpenSessions() {
        Session open = bank.session();

        bank.asAdmin().revoke("clerk-brno", Right.READ_ACCOUNTS);

        assertThatThrownBy(open::accounts).isInstanceOf(AccessDenied.class);
    }
}
