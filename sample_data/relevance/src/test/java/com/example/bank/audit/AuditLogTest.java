package com.example.bank.audit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class AuditLogTest {

    private final AuditLog log = AuditLog.inMemory(FixedClock.at("2026-03-01T09:00:00Z"));

    @Test
    void everyTransferLeavesALine() {
        log.transfer("nadia", "CZ-100", "CZ-200", Money.czk(50));

        assertThat(log.lines()).containsExactly("2026-03-01T09:00:00Z nadia transfer CZ-100 CZ-200 50.00");
    }

    @Test
    @Tag("security")
    void lineCannotBeForged() {
        log.note("nadia", "paid\n2026-03-01T09:00:00Z admin grant mallory");

        assertThat(log.lines()).hasSize(1);
        assertThat(log.lines().get(0)).contains("paid\\n2026");
    }

    @Test
    @Tag("security")
    void deletedLineBreaksTheChain() {
        log.note("nadia", "one");
        log.note("nadia", "two");
        log.storage().remove(0);

        assertThat(log.verify()).isEqualTo(Verdict.BROKEN_AT_1);
    }

    @Test
    void secretsAreMasked() {
        log.note("nadia", "new password: hunter2-hunter2");

        assertThat(log.lines().get(0)).doesNotContain("hunter2").contains("new password: ***");
    }

    @Test
    void formatsAmountsWithTwoDecimals() {
        log.transfer("nadia", "CZ-100", "CZ-200", Money.czk(5));

        assertThat(log.lines().get(0)).endsWith(" 5.00");
    }

    @Test
    void rotatesAtMidnight() {
        log.note("nadia", "late");
        log.clock().advanceToMidnight();
        log.note("nadia", "early");

        assertThat(log.files()).containsExactly("audit-2026-03-01.log", "audit-2026-03-02.log");
    }
}
