/** Who may import whom, lowest layer first. A module not listed for you is not yours to use. */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  openshift: ['core'],
  oci: ['core'],
  http: ['core'],
  store: ['core', 'oci'],
  remote: ['core', 'oci', 'http'],
  registry: ['core', 'oci', 'store', 'remote'],
  content: ['core', 'oci', 'http', 'remote', 'store', 'openshift'],
  generate: ['core', 'oci', 'openshift'],
  mirror: ['core', 'oci', 'store', 'remote', 'content', 'generate', 'openshift'],
  host: ['core'],
  cluster: ['core', 'oci', 'http', 'generate', 'openshift'],
  platform: ['core', 'http', 'generate', 'host', 'cluster', 'openshift'],
  observe: ['core', 'oci', 'openshift', 'host', 'cluster'],
  rehearse: [
    'core',
    'oci',
    'http',
    'store',
    'remote',
    'content',
    'generate',
    'observe',
    'openshift',
  ],
  workflow: ['core'],
  site: ['*'],
  lab: ['*'],
  dashboard: ['*'],
  library: ['*'],
  cli: ['*'],
};

/** Composes everything below it, but never what shows it. */
export const NEVER: Readonly<Record<string, readonly string[]>> = {
  site: ['cli', 'dashboard', 'lab'],
  lab: ['cli', 'dashboard'],
  library: ['cli', 'dashboard', 'lab'],
  dashboard: ['cli', 'library'],
};

/** What is wrapped once: a second place would choose other options. */
export const HOMES: Readonly<Record<string, readonly string[]>> = {
  yaml: ['core/'],
  // A service outlives its starter, which is not what `runProgram` is for.
  'node:child_process': ['core/process.ts', 'site/service.ts'],
};

/** Modules that only compute. They may not open files, sockets or processes. */
export const PURE: readonly string[] = ['openshift', 'oci', 'generate'];
export const IO_BUILTINS =
  /^node:(fs|net|tls|http|https|http2|child_process|dgram|worker_threads|cluster|dns)/;
