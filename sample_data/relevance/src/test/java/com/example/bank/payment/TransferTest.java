package com.example.bank.payment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TransferTest {

    private final Bank bank = Bank.withDemoData();
    private final Transfers transfers = new Transfers(bank);

    @Test
    void movesMoneyBetweenAccounts() {
        transfers.send("CZ-100", "CZ-200", Money.czk(50));

        assertThat(bank.balance("CZ-100")).isEqualTo(Money.czk(1_200));
        assertThat(bank.balance("CZ-200")).isEqualTo(Money.czk(350));
    }

    @Test
    void refusesToOverdraw() {
        assertThatThrownBy(() -> transfers.send("CZ-100", "CZ-200", Money.czk(9_999)))
                .isInstanceOf(InsufficientFunds.class);
        assertThat(bank.balance("CZ-100")).isEqualTo(Money.czk(1_250));
    }

    @Test
    void refusesNegativeAmounts() {
        assertThatThrownBy(() -> transfers.send("CZ-100", "CZ-200", Money.czk(-50)))
                .isInstanceOf(IllegalAmount.class);
    }

    @Test
    @Tag("security")
    void largeTransferNeedsASecondFactor() {
        Pending pending = transfers.send("CZ-100", "CZ-200", Money.czk(1_000));

        assertThat(pending.waitsFor()).isEqualTo(Factor.ONE_TIME_CODE);
        assertThat(bank.balance("CZ-100")).isEqualTo(Money.czk(1_250));
    }

    @Test
    void sameOrderTwiceIsPaidOnce() {
        transfers.send("CZ-100", "CZ-200", Money.czk(50), OrderId.of("o-1"));
        transfers.send("CZ-100", "CZ-200", Money.czk(50), OrderId.of("o-1"));

        assertThat(bank.balance("CZ-100")).isEqualTo(Money.czk(1_200));
    }

    @Test
    void roundsHalfToEven() {
        assertThat(Money.czk(new BigDecimal("0.125")).rounded()).isEqualTo(Money.czk(new BigDecimal("0.12")));
        assertThat(Money.czk(new BigDecimal("0.135")).rounded()).isEqualTo(Money.czk(new BigDecimal("0.14")));
    }

    @Test
    void failedTransferLeavesNoHalf() {
        bank.failOnNextWrite();

        assertThatThrownBy(() -> transfers.send("CZ-100", "CZ-200", Money.czk(50)))
                .isInstanceOf(TransferFailed.class)
                .hasMessage("The transfer did not happen; nothing was booked.");
        assertThat(bank.balance("CZ-100")).isEqualTo(Money.czk(1_250));
    }

    @Test
    void standingOrderRunsOnTheLastDay() {
        StandingOrder order = transfers.monthly("CZ-100", "CZ-200", Money.czk(10), 31);

        assertThat(order.nextAfter("2026-02-01")).isEqualTo("2026-02-28");
    }
}
