import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMessage, generateKey, sign } from 'openpgp';
import { expect, test } from 'vitest';
import { tempDir } from '../../../test/support/temp.ts';
import { silentContext } from '../../core/context.ts';
import { SIGNATURE_FILE } from './bundle-index.ts';
import { verifyIndex } from './bundle-signature.ts';

const INDEX = '{"format":1}\n';
const MADE = new Date('2027-01-01T00:00:00Z');
const hoursLater = (hours: number) => new Date(MADE.getTime() + hours * 3_600_000);

test('verifyIndex refuses a signature of an expired subkey, though its key is still valid', async () => {
  const { privateKey } = await generateKey({
    type: 'ecc',
    curve: 'nistP256',
    userIDs: [{ name: 'carrier', email: 'carrier@example.com' }],
    date: MADE,
    format: 'object',
  });
  const whole = await privateKey.addSubkey({ sign: true, keyExpirationTime: 86_400, date: MADE });
  const subkey = whole.getSubkeys().at(-1)?.getKeyID();
  const folder = await tempDir();
  const armored = await sign({
    message: await createMessage({ binary: Buffer.from(INDEX) }),
    signingKeys: whole,
    signingKeyIDs: subkey ? [subkey] : [],
    detached: true,
    date: hoursLater(6),
  });
  await writeFile(join(folder, SIGNATURE_FILE), armored);
  const check = (now: Date) =>
    verifyIndex({ ...silentContext(), now: () => now }, folder, INDEX, [whole.toPublic()]);

  await expect(check(hoursLater(7))).resolves.toBeUndefined();
  await expect(check(hoursLater(48))).rejects.toMatchObject({
    code: 'SIGNATURE_INVALID',
    message: expect.stringMatching(/expired/),
  });
});
