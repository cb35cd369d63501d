package com.example.bank.crypto;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class CardVaultTest {

    private final Keys keys = Keys.forTests();
    private final CardVault vault = new CardVault(keys);

    @Test
    @Tag("security")
    void roundTripGivesTheCardBack() {
        Token token = vault.put("4111111111111111");

        assertThat(vault.take(token)).isEqualTo("4111111111111111");
    }

    @Test
    @Tag("security")
    void sameCardNeverLooksTheSame() {
        byte[] first = vault.sealed("4111111111111111");
        byte[] second = vault.sealed("4111111111111111");

        assertThat(Arrays.equals(first, second)).isFalse();
    }

    @Test
    @Tag("security")
    void flippedBitIsNoticed() {
        byte[] sealed = vault.sealed("4111111111111111");
        sealed[sealed.length - 1] ^= 1;

        assertThatThrownBy(() -> vault.open(sealed)).isInstanceOf(TamperedData.class);
    }

    @Test
    void oldKeyStillOpensOldCards() {
        byte[] sealed = vault.sealed("4111111111111111");
        keys.rotate();

        assertThat(vault.open(sealed)).isEqualTo("4111111111111111");
        assertThat(vault.sealedWith("4111111111111111")).isEqualTo(keys.newest());
    }

    @Test
    void logLineShowsLastFourDigitsOnly() {
        Token token = vault.put("4111111111111111");

        assertThat(vault.describe(token)).isEqualTo("card ending in 1111");
    }

    @Test
    void checksumRejectsTypos() {
        assertThat(CardNumber.valid("4111111111111111")).isTrue();
        assertThat(CardNumber.valid("4111111111111112")).isFalse();
    }

    @Test
    void brandIsReadFromThePrefix() {
        assertThat(CardNumber.brand("4111111111111111")).isEqualTo(Brand.VISA);
        assertThat(CardNumber.brand("5500000000000004")).isEqualTo(Brand.MASTERCARD);
    }
}
