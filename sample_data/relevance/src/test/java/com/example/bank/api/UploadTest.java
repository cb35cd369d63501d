package com.example.bank.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class UploadTest {

    private final Uploads uploads = new Uploads(MemoryStore.empty());

    @Test
    void acceptsAPdfStatement() {
        Receipt receipt = uploads.take("statement.pdf", Files.pdf());

        assertThat(receipt.pages()).isEqualTo(2);
    }

    @Test
    @Tag("security")
    void looksAtTheContentNotTheName() {
        assertThatThrownBy(() -> uploads.take("statement.pdf", Files.executable()))
                .isInstanceOf(WrongContent.class);
    }

    @Test
    void pathInTheNameIsCutOff() {
        Receipt receipt = uploads.take("../../etc/cron.d/job.pdf", Files.pdf());

        assertThat(receipt.storedAs()).doesNotContain("..").doesNotContain("/");
    }

    @Test
    void limitsTheSize() {
        assertThatThrownBy(() -> uploads.take("big.pdf", Files.ofMegabytes(26)))
                .isInstanceOf(TooLarge.class)
                .hasMessage("At most 25 MB.");
    }

    @Test
    void archiveBombIsRefused() {
        assertThatThrownBy(() -> uploads.take("statements.zip", Files.zipBomb()))
                .isInstanceOf(TooLarge.class);
        assertThat(uploads.bytesWritten()).isLessThan(1_000_000);
    }

    @Test
    void progressGoesFromZeroToHundred() {
        Progress progress = uploads.watch("statement.pdf", Files.pdf());

        assertThat(progress.steps()).startsWith(0).endsWith(100).isSorted();
    }
}
