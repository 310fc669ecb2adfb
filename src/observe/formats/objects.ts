import { asBuffer } from '../../core/archive/byte-source.ts';
import { parseYaml } from '../../core/yaml.ts';
import { wholeLines } from '../scan/line-scanner.ts';

/** One API object of a list, still as text. */
export interface RawObject {
  readonly text: string;
  /** Line of its first character. */
  readonly line: number;
}

/** One object is never this big; what is, is skipped. */
const MAX_OBJECT_BYTES = 16 * 1024 * 1024;

type Chunks = AsyncIterable<Uint8Array>;
const LISTS = new Set(['items', 'StackEvents']);

/** The objects of a JSON list (`oc get -o json`, also with its `items` alone), one at a time; a document that is no list is one object. */
export async function* jsonObjects(
  chunks: Chunks,
  maxBytes = MAX_OBJECT_BYTES,
): AsyncGenerator<RawObject> {
  const splitter = createJsonSplitter(maxBytes);
  for await (const chunk of chunks) yield* splitter.push(asBuffer(chunk).toString('latin1'));
  const rest = splitter.rest();
  if (rest) yield rest;
}

interface Splitter {
  push(text: string): RawObject[];
  /** The whole document when it held no list. */
  rest(): RawObject | undefined;
}

const QUOTE = 34;
const BACKSLASH = 92;
const NEWLINE = 10;
const OPEN = new Set([123, 91]);
const CLOSE = new Set([125, 93]);

/** Follows strings and brackets only. Text is latin1 here, so that chunks may cut characters. */
function createJsonSplitter(maxBytes: number): Splitter {
  const state = { depth: 0, quoted: false, escaped: false, key: '', string: '', line: 1 };
  /** `depth`: how deep its objects stand. */
  const list = { open: false, found: false, depth: 0 };
  let whole = '';
  /** The object under way: what came of it in earlier chunks. */
  let current: { text: string; line: number } | undefined;

  function insideString(code: number): undefined {
    if (state.escaped) state.escaped = false;
    else if (code === BACKSLASH) state.escaped = true;
    else if (code === QUOTE) {
      state.quoted = false;
      if (state.depth === 1) state.key = state.string;
    } else if (state.depth === 1 && state.string.length < 64)
      state.string += String.fromCharCode(code);
  }

  /** Says whether an object of the list starts or ends at this character. */
  function outsideString(code: number): 'start' | 'end' | undefined {
    if (code === QUOTE) {
      state.quoted = true;
      state.string = '';
    } else if (OPEN.has(code)) return opened(code);
    else if (CLOSE.has(code)) return closed();
    else if (code === NEWLINE) state.line += 1;
    return undefined;
  }

  function opened(code: number): 'start' | undefined {
    state.depth += 1;
    const isNamed = state.depth === 2 && LISTS.has(state.key);
    if (code === 91 && !list.open && (isNamed || state.depth === 1)) {
      list.open = list.found = true;
      list.depth = state.depth;
    }
    return code === 123 && list.open && state.depth === list.depth + 1 ? 'start' : undefined;
  }

  function closed(): 'end' | undefined {
    state.depth -= 1;
    if (state.depth < list.depth) list.open = false;
    return state.depth === list.depth && list.open && current ? 'end' : undefined;
  }

  const edgeAt = (code: number) => (state.quoted ? insideString(code) : outsideString(code));

  function keep(text: string): void {
    if (current && current.text.length < maxBytes) current.text += text;
    if (list.found) whole = '';
    else if (whole.length < maxBytes) whole += text;
  }

  function push(text: string): RawObject[] {
    const done: RawObject[] = [];
    let from = 0;
    for (let at = 0; at < text.length; at += 1) {
      const edge = edgeAt(text.charCodeAt(at));
      if (edge === 'start') {
        current = { text: '', line: state.line };
        from = at;
      } else if (edge === 'end') {
        done.push(decoded((current?.text ?? '') + text.slice(from, at + 1), current?.line ?? 1));
        current = undefined;
        from = at + 1;
      }
    }
    keep(text.slice(from));
    return done.filter((object) => object.text.length < maxBytes);
  }

  const rest = () => (list.found || whole.length >= maxBytes ? undefined : decoded(whole, 1));
  return { push, rest };
}

const decoded = (latin1: string, line: number): RawObject => ({
  text: Buffer.from(latin1, 'latin1').toString('utf8'),
  line,
});

/** The objects of a YAML list or of several documents, as `oc adm must-gather` writes them. */
export async function* yamlObjects(
  chunks: Chunks,
  maxBytes = MAX_OBJECT_BYTES,
): AsyncGenerator<RawObject> {
  const splitter = createYamlSplitter(maxBytes);
  for await (const block of wholeLines(chunks)) {
    for (const text of block.toString('utf8').replace(/\n$/, '').split('\n')) {
      const done = splitter.push(text);
      if (done) yield done;
    }
  }
  const last = splitter.take();
  if (last) yield last;
}

/** Objects start at `---` and at a dash in the first column; the lines of an item are indented by two. */
function createYamlSplitter(maxBytes: number) {
  let lines: string[] = [];
  let size = 0;
  let inItem = false;
  let start = 1;
  let line = 0;

  function take(): RawObject | undefined {
    const done = size > 0 && size < maxBytes ? { text: lines.join('\n'), line: start } : undefined;
    lines = [];
    size = 0;
    start = line;
    return done;
  }
  function add(text: string): void {
    size += text.length + 1;
    if (size < maxBytes) lines.push(text);
  }
  function push(text: string): RawObject | undefined {
    line += 1;
    const isItem = text.startsWith('- ');
    const leaves = inItem && !text.startsWith(' ');
    const starts = isItem || leaves || text.startsWith('---') || text === 'items:';
    const done = starts ? take() : undefined;
    inItem = isItem || (inItem && !leaves);
    if (isItem || (inItem && text.startsWith('  '))) add(text.slice(2));
    else if (!text.startsWith('---') && text !== 'items:') add(text);
    return done;
  }
  return { push, take };
}

/** Parses one object, or gives undefined where it is none. JSON is tried first: it is far cheaper. */
export function parseObject(raw: RawObject, format: 'json' | 'yaml'): ApiObject | undefined {
  try {
    const value: unknown = format === 'json' ? JSON.parse(raw.text) : parseYaml(raw.text, 'strict');
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as ApiObject)
      : undefined;
  } catch {
    return undefined;
  }
}

/** As much of an API object as every object has. */
export interface ApiObject {
  readonly kind?: unknown;
  readonly metadata?: { readonly name?: unknown; readonly namespace?: unknown };
  readonly [key: string]: unknown;
}
