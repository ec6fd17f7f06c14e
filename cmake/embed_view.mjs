// node embed_view.mjs DIR OUT.c: compresses each file of DIR with gzip and writes the C source that includes them
// (daemon/service/site_files.h). Names and contents decide what is written, nothing else: no times, no order of a folder.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const types = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

const [folder, out] = process.argv.slice(2);
const files = readdirSync(folder)
  .filter((name) => !name.endsWith('.gz'))
  .sort();
const blocks = [];
const rows = [];
files.forEach((name, i) => {
  const type = types[extname(name)];
  if (!type || !/^[A-Za-z0-9._-]+$/.test(name)) throw new Error(`embed_view: ${name} is of no type that is served`);
  const path = join(folder, name + '.gz');
  const gzip = gzipSync(readFileSync(join(folder, name)), { level: 9 });
  const hash = createHash('sha256').update(gzip).digest('hex').slice(0, 32);
  writeFileSync(path, gzip);
  blocks.push(
    `__asm__(".section .rodata\\n.balign 16\\nview_file_${i}:\\n.incbin \\"${path}\\"\\nview_file_${i}_end:\\n.byte 0\\n.previous");\n` +
      `extern const uint8_t view_file_${i}[], view_file_${i}_end[];\n`,
  );
  rows.push(`    {"/${name}", "${type}", "\\"${hash}\\"", view_file_${i}, view_file_${i}_end},\n`);
});
writeFileSync(
  out,
  '// Written by cmake/embed_view.mjs.\n#include "daemon/service/site_files.h"\n\n' +
    blocks.join('') +
    `\nconst nd_site_file nd_site_files[] = {\n${rows.join('')}    {NULL, NULL, NULL, NULL, NULL},\n};\n`,
);
