#include "clients/navctl/output/graphml.h"

void graphml_begin(FILE *out, const graphml_key *keys, int key_count, const char *id)
{
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\""
          " xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\""
          " xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns"
          " http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n",
          out);
    for (int i = 0; i < key_count; i++)
        fprintf(out, "<key id=\"%s_%s\" for=\"%s\" attr.name=\"%s\" attr.type=\"%s\"/>\n", keys[i].of, keys[i].name,
                keys[i].of, keys[i].name, keys[i].type);
    fprintf(out, "<graph id=\"%s\" edgedefault=\"undirected\">\n", id);
}

void graphml_end(FILE *out)
{
    fputs("</graph>\n</graphml>\n", out);
}

static void write_escaped(FILE *out, const char *text)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
        switch (*p) {
        case '&':
            fputs("&amp;", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        default:
            fputc(*p < 0x20 ? ' ' : *p, out); // XML has no way to write a control character
        }
    }
}

void graphml_text(FILE *out, const char *of, const char *key, const char *text)
{
    fprintf(out, "<data key=\"%s_%s\">", of, key);
    write_escaped(out, text);
    fputs("</data>", out);
}

void graphml_int(FILE *out, const char *of, const char *key, int64_t value)
{
    fprintf(out, "<data key=\"%s_%s\">%lld</data>", of, key, (long long)value);
}

void graphml_number(FILE *out, const char *of, const char *key, double value)
{
    fprintf(out, "<data key=\"%s_%s\">%.9g</data>", of, key, value);
}

void graphml_bool(FILE *out, const char *of, const char *key, bool value)
{
    fprintf(out, "<data key=\"%s_%s\">%s</data>", of, key, value ? "true" : "false");
}

void graphml_place(FILE *out, const char *of, const char *prefix, double x, double y, double z)
{
    const double at[3] = {x, y, z};
    for (int a = 0; a < 3; a++) fprintf(out, "<data key=\"%s_%s%c\">%.9g</data>", of, prefix, "xyz"[a], at[a]);
}
