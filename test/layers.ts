/** Who may import whom, lowest layer first. A module not listed for you is not yours to use. */
export const LAYERS: Readonly<Record<string, readonly string[]>> = {
  core: [],
  oci: ['core'],
  store: ['core', 'oci'],
  remote: ['core', 'oci'],
  registry: ['core', 'oci', 'store'],
  content: ['core', 'oci', 'remote', 'store'],
  generate: ['core', 'oci'],
  mirror: ['core', 'oci', 'store', 'remote', 'content', 'generate'],
  host: ['core'],
  platform: ['core', 'generate', 'host'],
  cluster: ['core', 'generate'],
  observe: ['core', 'oci', 'host'],
  rehearse: ['core', 'oci', 'store', 'remote', 'content', 'generate', 'observe'],
  workflow: ['core'],
  site: ['*'],
  dashboard: ['core', 'workflow'],
  cli: ['*'],
};

/** Composes everything below it, but never what shows it. */
export const NEVER: Readonly<Record<string, readonly string[]>> = { site: ['cli', 'dashboard'] };

/** Modules that only compute. They may not open files, sockets or processes. */
export const PURE: readonly string[] = ['oci', 'generate'];
export const IO_BUILTINS =
  /^node:(fs|net|tls|http|https|http2|child_process|dgram|worker_threads|cluster|dns)/;
