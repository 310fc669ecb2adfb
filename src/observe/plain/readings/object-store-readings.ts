import { because, named, type PlainReading, word } from '../plain-reading.ts';

/** What storages that speak S3 mean by their codes, where the words behind do not say what to do. */
const S3_SAYS: Readonly<Record<string, string>> = {
  MissingContentLength:
    'it wants the length of an upload told before, which the client, or a proxy on the way, leaves out',
  EntityTooSmall:
    'a part of an upload is smaller than it takes (5 MiB), as the chunk size of the program is set',
  EntityTooLarge: 'an object, or a part of it, is larger than it takes',
  SlowDown: 'it is asked too often, or is overloaded',
  AuthorizationHeaderMalformed: 'the request is signed for another region',
  PermanentRedirect: 'the bucket is in another region, or has another address',
  XAmzContentSHA256Mismatch:
    'what arrived is not what was signed: something on the way changes it, or the client sends checksums that this storage does not know',
  NoSuchBucket: 'it has no such bucket',
  NoSuchUpload: 'it no longer knows the upload that was begun: it was ended, or cleaned up',
  InvalidPart: 'a part of the upload is not there, or is another one',
  BucketAlreadyExists: 'somebody else has a bucket of this name',
  InvalidBucketName: 'it does not take the name of the bucket',
  NotImplemented: 'it does not know this request, or a header of it',
  XMinioServerNotInitialized: 'it (MinIO) is not up yet',
};

const LOOK_AT_STORAGE =
  'Look at address, region, bucket and keys that the program was given, and ask the storage with the same ("aws --endpoint-url URL s3 ls s3://BUCKET"); newer AWS clients need AWS_REQUEST_CHECKSUM_CALCULATION=when_required for other storages';

/** What storages for objects answer, behind registries, backups and logs, in the words of their clients. */
export const OBJECT_STORE_READINGS: readonly PlainReading[] = [
  {
    id: 'says-s3-answers',
    pattern: new RegExp(
      String.raw`(?:An error occurred \(|\bs3aws: |api error |<Code>|"Code":"|S3Error: |\bcode: )(?<code>${Object.keys(S3_SAYS).join('|')})\b(?:\) when calling the (?<what>\w+) operation)?(?:.{0,80}<BucketName>(?<bucket>[^<]+))?`,
    ),
    cause: (found) =>
      `The object storage refuses a request${named(word(found, 'what')).replace(/^ (.+)/, ' ($1)')}: ${S3_SAYS[word(found, 'code') ?? '']}${because(word(found, 'bucket'))}`,
    remedy: LOOK_AT_STORAGE,
  },
  {
    id: 'says-object-store',
    pattern:
      /(?<quorum>InsufficientWriteQuorum|InsufficientReadQuorum|Storage resources are insufficient for the (?:write|read) operation|Insufficient number of drives online)|(?<root>is (?:part of (?:the )?)?(?:a )?root (?:disk|drive)\b.{0,20}will not be used)|(?<short>MINIO_ROOT_USER length should be at least \d+|(?:access key|secret key) length should be (?:at least|between) .{1,40})|Drive (?<drive>\S+) returned an unexpected error: (?<why>[\w ]{4,60})/,
    cause: (found) => {
      const { quorum, root, short, drive } = found.groups;
      if (quorum !== undefined)
        return 'Too few drives of the object storage (MinIO) are online to read or write';
      if (root !== undefined)
        return 'The object storage (MinIO) does not use the disk of the operating system for its data';
      return short === undefined
        ? `The object storage (MinIO) cannot use its drive ${drive}: ${word(found, 'why')}`
        : `MinIO does not take its own login: ${short}`;
    },
    remedy:
      'Look at its drives ("mc admin info ALIAS"): mounted, owned by its user, with room; set user and password as long as it wants them',
  },
  {
    id: 'says-storage-not-reached',
    pattern:
      /EndpointConnectionError: Could not connect to the endpoint URL: "(?<url>[^"]+)"|(?<none>NoCredentialsError: Unable to locate credentials|NoCredentialProviders: no valid providers in chain)/,
    cause: (found) =>
      word(found, 'none') === undefined
        ? `The object storage cannot be reached at ${word(found, 'url')}`
        : 'The program has no keys for the object storage: none are in its settings, its environment or its role',
    remedy: LOOK_AT_STORAGE,
  },
  {
    id: 'says-storage-right',
    pattern:
      /(?<!\S)(?<who>\S{1,100}@\S{1,160}) does not have (?<right>storage\.[\w.]+) access to the Google Cloud Storage|(?:AuthenticationFailed: )?(?<azure>Server failed to authenticate the request)\.|(?<container>The specified container does not exist)/,
    cause: (found) => {
      if (word(found, 'who') !== undefined)
        return `The account ${word(found, 'who')} lacks the permission ${word(found, 'right')} at the storage of Google`;
      return word(found, 'container') === undefined
        ? 'Azure does not take the key or token for its storage: it is another one, has ended, or the clock of this machine is wrong'
        : 'Azure has no container of this name in the storage account';
    },
    remedy:
      'Give the account the role, or the program the key of this storage account; make the container before, and compare account and name',
  },
];
