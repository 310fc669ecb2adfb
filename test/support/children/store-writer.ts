import { silentContext } from '../../../src/core/context.ts';
import { openDiskStore } from '../../../src/store/disk/disk-store.ts';
import { setReference } from '../../../src/store/layout/references.ts';
import { uploadIdOf } from '../../../src/store/store.ts';
import { describeBytes, noise } from '../bytes.ts';

// A writer that a test kills: store-writer.mjs ROOT TASK [SEED]

const ctx = silentContext();
const [root = '', task = '', seed = '1'] = process.argv.slice(2);
const bytes = noise(400_000, Number(seed));
const blob = describeBytes(bytes);

/** Gives half of the bytes, says so, and then nothing more. */
async function* halfThenSilence(): AsyncGenerator<Uint8Array> {
  yield bytes.subarray(0, 200_000);
  process.send?.('half');
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}

async function* slowly(): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 10_000) yield bytes.subarray(at, at + 10_000);
}

async function writeForever(): Promise<void> {
  const store = await openDiskStore(root);
  for (let count = 0; ; count += 1) {
    const text = noise(50_000, Number(seed) * 1000 + count);
    await store.blobs.write(ctx, describeBytes(text), one(text));
    await store.records.put(ctx, `written/${seed}-${count}`, describeBytes(text));
    process.send?.(count);
  }
}

async function* one(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  yield chunk;
}

const TASKS: Readonly<Record<string, () => Promise<unknown>>> = {
  'write-half': async () => (await openDiskStore(root)).blobs.write(ctx, blob, halfThenSilence()),
  'write-all': async () => (await openDiskStore(root)).blobs.write(ctx, blob, slowly()),
  'write-forever': writeForever,
  async 'upload-half'() {
    const { uploads } = await openDiskStore(root);
    const id = await uploads.begin(ctx, uploadIdOf(blob.digest));
    await uploads.append(ctx, id, halfThenSilence());
  },
  async 'name-many'() {
    const store = await openDiskStore(root);
    for (let count = 0; count < 8; count += 1) {
      await setReference(ctx, store, `${seed}-${count}`, blob);
    }
  },
};

await TASKS[task]?.();
process.send?.('done');
process.disconnect?.();
