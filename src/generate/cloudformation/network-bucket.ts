import { type SiteStack, tagsOf } from './tags.ts';
import { getAtt, hole, ref, sub, type TemplatePart, type Value } from './template.ts';

/** Where the Ignition config of the bastion waits. It holds keys, so nobody else gets near it. */
export function bucketPart(site: SiteStack): TemplatePart {
  return {
    resources: {
      IgnitionBucket: {
        Type: 'AWS::S3::Bucket',
        DeletionPolicy: 'Delete',
        UpdateReplacePolicy: 'Delete',
        Properties: {
          BucketEncryption: {
            ServerSideEncryptionConfiguration: [
              { ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
            ],
          },
          OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
          PublicAccessBlockConfiguration: {
            BlockPublicAcls: true,
            BlockPublicPolicy: true,
            IgnorePublicAcls: true,
            RestrictPublicBuckets: true,
          },
          Tags: tagsOf(site, 'ignition'),
        },
      },
      IgnitionBucketPolicy: {
        Type: 'AWS::S3::BucketPolicy',
        Properties: { Bucket: ref('IgnitionBucket'), PolicyDocument: onlyTls() },
      },
    },
    outputs: {
      IgnitionBucket: {
        Description: 'Bucket for the Ignition config of the bastion',
        Value: ref('IgnitionBucket'),
      },
    },
  };
}

function onlyTls(): Value {
  return {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Deny',
        Principal: '*',
        Action: 's3:*',
        Resource: [getAtt('IgnitionBucket', 'Arn'), sub(`${hole('IgnitionBucket.Arn')}/*`)],
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
      },
    ],
  };
}
