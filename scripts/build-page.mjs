// Makes the page of the dashboard: one HTML file with its script and style inside.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');
export const PAGE_ENTRY = join(root, 'web', 'src', 'main.tsx');

/** How JSX becomes calls, here and wherever the page's packages are listed. */
export const JSX = { jsx: 'automatic', jsxImportSource: 'preact' };

/** A text that cannot end the element it is put into. */
const inside = (text, element) => text.trim().replaceAll(`</${element}`, `<\\/${element}`);

/** The page, as one text. */
export async function pageText() {
  const { output } = await build({
    root: join(root, 'web'),
    configFile: false,
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: { write: false, target: 'es2022', modulePreload: false, cssCodeSplit: false },
  });
  const textOf = (ending) => {
    const found = output.find(({ fileName }) => fileName.endsWith(ending));
    return String(found?.type === 'chunk' ? found.code : (found?.source ?? ''));
  };
  const style = `<style>${inside(textOf('.css'), 'style')}</style>`;
  const script = `<script type="module">${inside(textOf('.js'), 'script')}</script>`;
  return textOf('.html')
    .replace(/\s*<script type="module"[^>]*><\/script>/, '')
    .replace(/\s*<link rel="stylesheet"[^>]*>/, '')
    .replace('</head>', () => `${style}\n</head>`)
    .replace('</body>', () => `${script}\n</body>`);
}

export async function writePage(path) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, await pageText());
}

if (process.argv[1] === import.meta.filename) {
  const path = process.argv[2] ?? join(root, 'dist', 'dashboard.html');
  await writePage(path);
  console.error(`wrote ${path}`);
}
