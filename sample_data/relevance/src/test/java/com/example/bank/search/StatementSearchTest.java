package com.example.bank.search;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class StatementSearchTest {

    private final StatementSearch search = StatementSearch.over(Statements.demo());

    @Test
    void findsByAmount() {
        assertThat(search.find("amount:50")).hasSize(2);
    }

    @Test
    @Tag("security")
    void quoteInTheSearchIsJustAQuote() {
        assertThat(search.find("O'Brien' OR '1'='1")).isEmpty();
        assertThat(search.find("O'Brien")).hasSize(1);
    }

    @Test
    void wildcardsAreTakenLiterally() {
        assertThat(search.find("100%")).extracting(Statement::text).containsExactly("100% off");
    }

    @Test
    void highlightEscapesMarkup() {
        assertThat(search.highlight("<b>rent</b>")).isEqualTo("&lt;b&gt;<mark>rent</mark>&lt;/b&gt;");
    }

    @Test
    void newestComesFirst() {
        assertThat(search.find("rent")).isSortedAccordingTo(Statement.NEWEST_FIRST);
    }

    @Test
    void emptySearchExplainsItself() {
        assertThat(search.find("")).isEmpty();
        assertThat(search.hint()).isEqualTo("Type a name, an amount or a month.");
    }
}
