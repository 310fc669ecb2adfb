import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateKey } from 'openpgp';
import { describe, expect, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp.ts';
import { once } from '../../../core/bytes.ts';
import { silentContext } from '../../../core/context.ts';
import { loadSigner } from '../../../mirror/bundle/bundle-signature.ts';
import { BundleWriter } from '../../../mirror/bundle/bundle-writer.ts';
import { blobOf } from '../../../oci/build-image.ts';
import { createStyle } from '../../style.ts';
import { mirrorLoadCommand } from '../mirror/load.ts';
import { BUNDLE_COMMANDS } from './index.ts';

const ctx = silentContext();

/** Runs a command as the command line does, and returns what it prints. */
async function run(
  name: string,
  args: Record<string, string>,
  options: Record<string, string | readonly string[]> = {},
  env: Record<string, string> = {},
): Promise<string> {
  const all = [...BUNDLE_COMMANDS, mirrorLoadCommand];
  const command = all.find((each) => each.name === `bundle ${name}` || each.name === name);
  const nobody = () => Promise.reject(new Error('Nobody is asked'));
  const asks = {
    confirm: nobody,
    ask: nobody,
    readStdin: nobody,
    stdin: () => once(Buffer.alloc(0)),
  };
  const terminal = { ...asks, env, isPiped: false, interactive: false };
  const words = Object.assign({ rest: [] }, args);
  const result = await command?.run(ctx, { args: words, options, given: new Set(), terminal });
  return command?.text?.(result, createStyle(false)) ?? '';
}

async function bundleIn(folder: string, secret?: string): Promise<void> {
  const writer = await BundleWriter.open(folder, { chunkBytes: 1000 });
  const { descriptor, bytes } = blobOf('', Buffer.alloc(2500, 'content'));
  await writer.putBlob(ctx, descriptor, once(bytes));
  const signer = secret === undefined ? undefined : await loadSigner(secret, undefined);
  await writer.finish(ctx, { images: [], signatures: [] }, { signer });
}

describe('the commands of bundles', () => {
  test('list, check, split and join one', async () => {
    const folder = await tempDir();
    await bundleIn(folder);

    expect(await run('list', { folder })).toContain('0 images in 3 chunks');
    expect(await run('check', { folder }, { verifyKey: [] })).toContain('whole');
    expect(await run('split', { folder }, { size: '600' })).toContain('5 files');
    expect(await run('check', { folder }, { verifyKey: [] })).toContain('in parts');
    expect(await run('join', { folder })).toContain('3 files');
    expect(await run('diff', { from: folder, to: folder })).toContain('0 added');
    await expect(run('split', { folder }, { size: 'much' })).rejects.toMatchObject({
      code: 'USAGE',
    });
  });

  test('check and load refuse what is not signed where a rule asks for it', async () => {
    const [folder, signed, keys] = [await tempDir(), await tempDir(), await tempDir()];
    const { privateKey, publicKey } = await generateKey({ userIDs: [{ name: 'team' }] });
    await writeFile(join(keys, 'secret'), privateKey);
    await writeFile(join(keys, 'public'), publicKey);
    await mkdir(join(keys, 'rule'));
    await copyFile(join(keys, 'public'), join(keys, 'rule', 'team.asc'));
    await bundleIn(folder);
    await bundleIn(signed, join(keys, 'secret'));
    const env = { ATOLL_BUNDLE_KEYS: join(keys, 'rule') };

    await expect(run('check', { folder }, { verifyKey: [] }, env)).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
    });
    expect(await run('check', { folder: signed }, { verifyKey: [] }, env)).toContain(
      'the signature is valid',
    );
    // A rule that is nowhere lets nothing in, rather than everything.
    const nowhere = { ATOLL_BUNDLE_KEYS: join(keys, 'misspelled') };
    await expect(
      run('check', { folder: signed }, { verifyKey: [] }, nowhere),
    ).rejects.toMatchObject({ code: 'FILE_UNREADABLE' });
    const archives = await tempDir();
    await writeFile(join(archives, 'mirror_000001.tar'), '');
    const flags = { to: 'mirror.invalid', dir: await tempDir(), ca: [], alsoAt: [], verifyKey: [] };
    for (const from of [folder, archives])
      await expect(run('mirror load', {}, { ...flags, from }, env)).rejects.toMatchObject({
        code: 'SIGNATURE_INVALID',
      });
    // What is signed is let in, and fails only because there is no such mirror.
    const other = run('mirror load', {}, { ...flags, from: signed }, env);
    await expect(other.catch((error) => error.code)).resolves.not.toBe('SIGNATURE_INVALID');
  });
});
