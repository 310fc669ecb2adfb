import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../../core/context.ts';
import { writeFileAtomic } from '../../core/files.ts';
import { formatShort, formatWithUnit } from '../../observe/formats/journal-text.ts';
import {
  formatServiceRecord,
  recordTimestamp,
  type ServiceRecordEntry,
} from '../../observe/formats/service-record.ts';

/** Where a node keeps its logs, in the layout of a log bundle. */
export const journalsOf = (root: string): string => join(root, 'var/log/journals');
export const recordsOf = (root: string): string => join(root, 'var/log/openshift');

/** The journal and the service records of one node, in the formats of the real ones. */
export class NodeJournal {
  readonly #ctx: Context;
  readonly #root: string;
  readonly #host: string;
  readonly #records = new Map<string, ServiceRecordEntry[]>();

  constructor(ctx: Context, root: string, host: string) {
    this.#ctx = ctx;
    this.#root = root;
    this.#host = host;
    mkdirSync(journalsOf(root), { recursive: true });
  }

  /** One line of a unit's program; on disk before this returns, as the next thing may be a kill. */
  write(unit: string, program: string, message: string): void {
    const entry = {
      at: this.#ctx.now(),
      host: this.#host,
      unit: `${unit}.service`,
      program,
      pid: process.pid,
      message,
    };
    const folder = journalsOf(this.#root);
    appendFileSync(join(folder, `${unit}.log`), `${formatShort(entry)}\n`);
    appendFileSync(join(folder, 'journal.log'), `${formatWithUnit(entry)}\n`);
  }

  async record(service: string, entry: Omit<ServiceRecordEntry, 'timestamp'>): Promise<void> {
    const entries = this.#records.get(service) ?? [];
    entries.push({ timestamp: recordTimestamp(this.#ctx.now()), ...entry });
    this.#records.set(service, entries);
    await writeFileAtomic(
      join(recordsOf(this.#root), `${service}.json`),
      formatServiceRecord(entries),
    );
  }

  /** Plays a stage of a service: start, the work, and its end as the real scripts record it. */
  async stage(service: string, stage: string, work: () => Promise<void>): Promise<void> {
    await this.record(service, { phase: 'stage start', stage });
    try {
      await work();
    } catch (error) {
      const errorMessage = error instanceof Error ? error.message : String(error);
      await this.record(service, { phase: 'stage end', stage, result: 'failure', errorMessage });
      throw error;
    }
    await this.record(service, { phase: 'stage end', stage, result: 'success' });
  }
}
