import type { EvidenceSink } from './evidence.ts';
import { jsonObjects, parseObject, type RawObject, yamlObjects } from './formats/objects.ts';
import { wordsOf } from './object-lines.ts';
import type { LineReader } from './read-lines.ts';
import { createLiteralMatcher, type LiteralMatcher } from './scan/literal-matcher.ts';
import { requiredLiterals } from './scan/literals.ts';
import type { SourceFile } from './source-files.ts';

/** Parsing is dear, so only objects are parsed that somebody asks for by kind or that hold a literal. */
export async function readObjects(
  file: SourceFile,
  format: 'json' | 'yaml',
  sink: EvidenceSink,
  lines: LineReader,
): Promise<void> {
  const matcher = matcherFor(sink);
  const objects = format === 'json' ? jsonObjects(file.content) : yamlObjects(file.content);
  for await (const raw of objects) {
    if (!isWanted(raw, sink.kinds, matcher)) continue;
    const object = parseObject(raw, format);
    if (!object) continue;
    const place = { file: file.name, line: raw.line };
    if (sink.kinds.has(String(object.kind))) sink.onObject(object, place);
    const words = wordsOf(object);
    lines.offer(words.lines, { ...place, origins: [words.origin], at: words.at });
  }
}

const KIND = /^[ \t]*"?kind"?[ \t]*:[ \t]*"?(\w+)"?[ \t]*,?[ \t\r]*$/m;
const INLINE_KIND = /"kind"\s*:\s*"(\w+)"/;

function isWanted(raw: RawObject, kinds: ReadonlySet<string>, matcher: LiteralMatcher): boolean {
  const kind = (KIND.exec(raw.text) ?? INLINE_KIND.exec(raw.text))?.[1];
  if (kind !== undefined && kinds.has(kind)) return true;
  // Long texts are folded in YAML: a break inside a literal must not hide it.
  const text = Buffer.from(raw.text.replace(/\n\s+/g, ' '));
  return matcher.find(text, 0, text.length) !== undefined;
}

const matchers = new WeakMap<EvidenceSink, LiteralMatcher>();

/** One matcher for all patterns that can apply to objects, events and stacks. */
function matcherFor(sink: EvidenceSink): LiteralMatcher {
  const known = matchers.get(sink);
  if (known) return known;
  const wanted = sink.patterns.filter(({ where }) =>
    where.some((one) => /^(?:object:|event:|aws:|\*$)/.test(one)),
  );
  const literals = wanted.flatMap(({ pattern }) => requiredLiterals(pattern, 3) ?? []);
  // Conditions are put together as Type=Status, which no object holds as such: take them apart.
  const parts = literals.map((text) => text.replace(/=(?:true|false).*$/, ''));
  const matcher = createLiteralMatcher([...new Set(parts)].filter((text) => text.length >= 3));
  matchers.set(sink, matcher);
  return matcher;
}
