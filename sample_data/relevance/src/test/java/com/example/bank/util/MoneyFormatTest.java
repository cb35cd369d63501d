package com.example.bank.util;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MoneyFormatTest {

    private final MoneyFormat format = MoneyFormat.czech();

    @Test
    void groupsThousands() {
        assertThat(format.of(Money.czk(1_234_567))).isEqualTo("1 234 567,00 Kč");
    }

    @Test
    void showsHalfPennies() {
        assertThat(format.of(Money.czk("0.5"))).isEqualTo("0,50 Kč");
    }

    @Test
    void putsTheMinusInFront() {
        assertThat(format.of(Money.czk(-5))).isEqualTo("-5,00 Kč");
    }

    @Test
    void parsesWhatItPrints() {
        Money money = Money.czk(1_234);

        assertThat(format.parse(format.of(money))).isEqualTo(money);
    }

    @Test
    void refusesLetters() {
        assertThat(format.tryParse("12abc")).isEmpty();
    }

    @Test
    void namesTheCurrency() {
        assertThat(format.currency()).isEqualTo("Kč");
    }
}
