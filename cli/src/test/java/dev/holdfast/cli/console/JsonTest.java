package dev.holdfast.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void commasStandBetweenValuesOnly() {
        Json json = new Json().beginArray();
        json.beginObject()
                .key("a")
                .value(1)
                .key("b")
                .beginArray()
                .endArray()
                .key("c")
                .beginObject()
                .endObject();
        json.endObject()
                .value("x")
                .value(true)
                .nullValue()
                .beginArray()
                .value(Long.MIN_VALUE)
                .endArray()
                .endArray();

        assertThat(json).hasToString("[{\"a\":1,\"b\":[],\"c\":{}},\"x\",true,null,[-9223372036854775808]]");
    }

    @Test
    void textIsEscaped() {
        assertThat(new Json().value("\"\\/\b\n\r\t\u0000\u001f ~\u007fé\u2028🔒\ud800"))
                .hasToString("\"\\\"\\\\/\\u0008\\n\\r\\t\\u0000\\u001f ~\\u007f\\u00e9\\u2028\\ud83d\\udd12\\ud800\"");
    }

    @Test
    void keysAreEscapedToo() {
        assertThat(new Json().beginObject().key("a\"b").value(0).endObject()).hasToString("{\"a\\\"b\":0}");
    }
}
