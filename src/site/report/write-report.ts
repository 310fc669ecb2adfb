import { writeFileAtomic } from '../../core/files.ts';
import { redactJson } from '../../core/redact.ts';
import { reportHtml } from './report-html.ts';
import type { ReportInput } from './report-input.ts';

const URL_LOGIN = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;

/** Writes the page, without any secret that this process has met and without logins in addresses. */
export async function writeReport(path: string, input: ReportInput): Promise<void> {
  const clean = redactJson(input);
  const text = clean.siteFile.text.replace(URL_LOGIN, '$1[redacted]@');
  await writeFileAtomic(path, reportHtml({ ...clean, siteFile: { ...clean.siteFile, text } }));
}
