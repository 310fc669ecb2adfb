import { spawnSync } from 'node:child_process';
import { peerPath } from './peers.ts';

interface Verdict {
  readonly accepted: boolean;
  readonly report: string;
}

/**
 * What the real `ignition-validate` says. Releases up to 2.14 know spec 3.4.0 only under its name
 * before it was final, and 3.5.0 not at all; then the same config is shown to them under that name.
 */
export function ignitionValidate(config: string): Verdict {
  const verdict = validate(config);
  if (!/unsupported config version/.test(verdict.report)) return verdict;
  return validate(config.replace(/("version":\s*)"3\.[45]\.0"/, '$1"3.4.0-experimental"'));
}

function validate(config: string): Verdict {
  const program = peerPath('ignition-validate') ?? 'ignition-validate';
  const { status, stdout, stderr } = spawnSync(program, ['-'], { input: config, encoding: 'utf8' });
  return { accepted: status === 0, report: `${stdout}${stderr}` };
}
