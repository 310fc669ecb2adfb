import { expect, test } from 'vitest';
import { listOf, readXml, textOf } from '../../shared/xml.ts';
import { formBody } from './form.ts';
import { signedHeaders } from './sign.ts';

test('signedHeaders signs as the example in the documentation of S3', async () => {
  const headers = await signedHeaders(
    {
      method: 'GET',
      url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
      headers: { range: 'bytes=0-9' },
      body: '',
    },
    {
      keys: {
        accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
        secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
      },
      service: 's3',
      region: 'us-east-1',
      now: new Date('2013-05-24T00:00:00Z'),
    },
  );

  expect(headers.authorization).toMatch(
    /Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41$/,
  );
  expect(headers.host).toBeUndefined();
});

test('formBody numbers the members of lists as each kind of service wants it', () => {
  const fields = { Filter: [{ Name: 'vpc-id', Value: ['a', 'b'] }], Max: 5, Off: undefined };

  expect(decodeURIComponent(formBody(fields, 'numbered'))).toBe(
    'Filter.1.Name=vpc-id&Filter.1.Value.1=a&Filter.1.Value.2=b&Max=5',
  );
  expect(decodeURIComponent(formBody({ Tags: ['a'] }, 'member'))).toBe('Tags.member.1=a');
});

test('readXml gives lists of one, of many and of none alike', () => {
  const xml = readXml(
    '<R><one><item><id>1</id></item></one><many><member>a</member><member>b</member></many></R>',
  );

  expect(listOf(xml, 'one').map((item) => textOf(item, 'id'))).toEqual(['1']);
  expect(listOf(xml, 'many')).toEqual(['a', 'b']);
  expect(listOf(xml, 'none')).toEqual([]);
  expect(readXml('no xml')).toEqual('');
});
