import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Before something that fills files: nobody pays for what another left to be written, nor for
 * memory that a virtual machine has to get from its host when files fill it for the first time.
 * What a deleted file had is there.
 */
export function settle(folder) {
  const file = join(folder, 'filler');
  const args = ['if=/dev/zero', `of=${file}`, 'bs=1M', 'count=2000'];
  execFileSync('dd', args, { stdio: 'ignore' });
  rmSync(file);
  execFileSync('sync');
}
