import * as z from 'zod';
import { AtollError } from '../../core/errors.ts';
import { readTextIfPresent } from '../../core/files.ts';
import { reportedImageSchema, reportSchema } from './report-schema.ts';
import type { WorkingDir } from './working-dir.ts';

/** What a later run needs of a report; an older one may lack the rest. */
const storedSchema = reportSchema
  .pick({ flow: true, folder: true, destination: true, notCollected: true })
  .extend({
    images: z.array(
      reportedImageSchema
        .omit({ attempts: true })
        .extend({ outcome: z.string(), copiedBytes: z.number().default(0) }),
    ),
  });

export type StoredReport = z.output<typeof storedSchema>;

/** The report of the last run in this folder. */
export async function readReport(workingDir: WorkingDir): Promise<StoredReport> {
  const path = workingDir.file('report.json');
  const text = await readTextIfPresent(path);
  if (text === undefined) {
    throw new AtollError('FILE_UNREADABLE', `Cannot find "${path}": nothing has run here`, {
      hint: 'Name the folder of the run with --dir DIR',
    });
  }
  try {
    return storedSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new AtollError('INPUT_INVALID', `Cannot read "${path}": it is not a report of atoll`, {
      hint: 'Run the sync, save or load again',
      cause,
    });
  }
}
