// `atoll/diagnose`: log bundles, journals and install logs in; causes, evidence and remedies out.
export { type Context, silentContext } from '../core/context.ts';
export { AtollError } from '../core/errors.ts';
export type { AtollEvent } from '../core/events.ts';
export { type DiagnoseOptions, type Diagnosis, diagnose } from '../observe/diagnose.ts';
export { readTimeline } from '../observe/timeline/read-timeline.ts';
