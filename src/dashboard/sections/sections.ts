import { redactJson } from '../../core/redact.ts';
import type { SectionName } from '../model/page-data.ts';
import type { Sections } from '../watched.ts';

/** However long reading takes, it is read again after this. */
const MOST_MS = 15_000;

export interface ReadSection {
  readonly name: SectionName;
  readonly value: unknown;
}

/** Reads sections when they are due, and hands out those that are not as they were. */
export interface SectionReaders {
  changed(all: boolean): AsyncGenerator<ReadSection>;
}

export function sectionReaders(sections: Sections): SectionReaders {
  const due = new Map<string, number>();
  const last = new Map<string, string>();

  async function* changed(all: boolean): AsyncGenerator<ReadSection> {
    for (const [name, { everyMs, read }] of Object.entries(sections)) {
      const started = performance.now();
      if (!all && started < (due.get(name) ?? 0)) continue;
      const value = redactJson(await read().catch(() => undefined));
      // What takes long to read is read seldom.
      const took = performance.now() - started;
      due.set(name, performance.now() + Math.max(everyMs, Math.min(10 * took, MOST_MS)));
      const text = JSON.stringify(value) ?? '';
      if (last.get(name) === text) continue;
      last.set(name, text);
      yield { name: name as SectionName, value };
    }
  }
  return { changed };
}
