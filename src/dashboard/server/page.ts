import { createHash } from 'node:crypto';
import { readBuilt } from '../../core/assets.ts';
import { AtollError } from '../../core/errors.ts';
import { parseJson } from '../../core/shape.ts';

/** Where the build leaves room for the policy and the data. */
const HEAD = '<!--atoll:head-->';
const DATA = '<!--atoll:data-->';

/** The page as it was built: one file, with its script and style inside. */
export interface BuiltPage {
  readonly html: string;
  /** Only the script and style of the page, by their hashes; nothing from anywhere. */
  readonly policy: string;
}

export function builtPage(html: string | undefined = readBuilt('dashboard.html')): BuiltPage {
  if (html === undefined)
    throw new AtollError('FILE_UNREADABLE', 'Cannot show the dashboard: its page is not built', {
      hint: 'Run "npm run build"',
    });
  const script = hashesOf(html, /<script type="module">([\s\S]*?)<\/script>/g);
  const style = hashesOf(html, /<style>([\s\S]*?)<\/style>/g);
  return {
    html,
    policy: `default-src 'none'; script-src ${script}; style-src ${style}; img-src data:; base-uri 'none'; form-action 'none'`,
  };
}

function hashesOf(html: string, pattern: RegExp): string {
  const hashes = [...html.matchAll(pattern)].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  );
  return hashes.length === 0 ? "'none'" : hashes.join(' ');
}

/** The policy of the page where a server gives it, which the page may ask for more. */
export const servedPolicy = ({ policy }: BuiltPage) =>
  `${policy}; connect-src 'self'; frame-ancestors 'none'`;

/** The page with data in it. What is in the data stays data, whatever it says. */
export function pageWith(page: BuiltPage, data: unknown): string {
  const json = JSON.stringify(data).replaceAll('<', '\\u003c');
  return page.html.replace(
    DATA,
    () => `<script type="application/json" id="atoll-data">${json}</script>`,
  );
}

/** The data of a page that was made by {@link pageWith}. */
export function dataIn(html: string): unknown {
  const [, json] =
    /<script type="application\/json" id="atoll-data">([\s\S]*?)<\/script>/.exec(html) ?? [];
  return json === undefined ? undefined : parseJson(json);
}

/** The page as a file: it forbids itself to ask anybody for anything. */
export function pageAsFile(page: BuiltPage, data: unknown): string {
  const meta = `<meta http-equiv="Content-Security-Policy" content="${page.policy}">`;
  return pageWith({ ...page, html: page.html.replace(HEAD, () => meta) }, data);
}
