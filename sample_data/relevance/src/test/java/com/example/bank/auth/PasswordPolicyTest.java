package com.example.bank.auth;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PasswordPolicyTest {

    private final PasswordPolicy policy = PasswordPolicy.standard();

    @Test
    void refusesShortPasswords() {
        assertThat(policy.accepts("abc12345")).isFalse();
        assertThat(policy.accepts("abc123456789")).isTrue();
    }

    @Test
    @Tag("security")
    void refusesLeakedPasswords() {
        policy.deny(BreachList.of("password1234", "iloveyou2026"));

        assertThat(policy.accepts("iloveyou2026")).isFalse();
    }

    @Test
    @Tag("security")
    void storesOnlyASaltedHash() {
        String first = policy.store("correct horse battery staple");
        String second = policy.store("correct horse battery staple");

        assertThat(first).startsWith("$argon2id$").doesNotContain("horse");
        assertThat(first).isNotEqualTo(second);
    }

    @Test
    void countsCharactersNotBytes() {
        assertThat(policy.length("žluťoučký kůň")).isEqualTo(13);
    }

    @Test
    void meterShowsThreeSteps() {
        assertThat(policy.meter("abc")).isEqualTo(Meter.WEAK);
        assertThat(policy.meter("abc123456789")).isEqualTo(Meter.FAIR);
        assertThat(policy.meter("correct horse battery staple")).isEqualTo(Meter.STRONG);
    }

    @Test
    void explainsTheRuleInOneSentence() {
        assertThat(policy.explain()).isEqualTo("At least 12 characters, none of the known leaked ones.");
    }
}
