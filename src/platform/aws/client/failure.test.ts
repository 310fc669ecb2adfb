import { describe, expect, test } from 'vitest';
import { awsFailure, missingPermission } from './failure.ts';

const call = { service: 'ec2', action: 'RunInstances' } as const;
const answer = (text: string, status = 400, headers = {}) => ({ status, text, headers });
const xml = (code: string, message = 'words') =>
  `<Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors></Response>`;

describe('awsFailure', () => {
  test.each([
    ['ExpiredToken', 400, 'CLOUD_CREDENTIALS', 'expired'],
    ['RequestTimeTooSkewed', 403, 'CLOUD_CREDENTIALS', 'clock'],
    ['InvalidClientTokenId', 403, 'CLOUD_CREDENTIALS', 'does not know'],
    ['OptInRequired', 403, 'CLOUD_CREDENTIALS', 'another region'],
    ['VpcLimitExceeded', 400, 'CLOUD_QUOTA', 'Service Quotas'],
    ['RequestLimitExceeded', 503, 'CLOUD_THROTTLED', 'slow down'],
    ['InternalError', 500, 'CLOUD_UNAVAILABLE', 'again'],
    ['Odd', 502, 'CLOUD_UNAVAILABLE', ''],
    ['InvalidParameterValue', 400, 'CLOUD_REFUSED', ''],
  ])('gives %s (%i) the code %s', (name, status, code, hint) => {
    const error = awsFailure(call, answer(xml(name), status));

    expect(error).toMatchObject({ code, message: `Cannot do ec2:RunInstances: ${name}: words` });
    expect(error.hint ?? '').toContain(hint);
    expect(error.details).toMatchObject({ awsCode: name, status });
  });

  test.each([
    ['of S3', '<Error><Code>SlowDown</Code><Message>m</Message></Error>'],
    ['of a query', '<ErrorResponse><Error><Code>SlowDown</Code></Error></ErrorResponse>'],
    ['in JSON', '{"__type":"com.amazon#SlowDown","Message":"m"}'],
  ])('reads the name of a failure %s', (_, text) => {
    expect(awsFailure(call, answer(text)).code).toBe('CLOUD_THROTTLED');
  });

  test('says nothing that is not there when the answer is no document', () => {
    const error = awsFailure(call, answer('<html>', 502));

    expect(error.message).toBe('Cannot do ec2:RunInstances: HTTP status 502');
  });

  test('waits as long as the service asks', () => {
    const error = awsFailure(call, answer(xml('Throttling'), 503, { 'retry-after': '7' }));

    expect(error.details.retryAfterMs).toBe(7000);
  });

  test('names action, resource and user of a missing permission, and a statement that gives it', () => {
    const words =
      'You are not authorized to perform this operation. User: arn:aws:iam::1:user/ann is not authorized ' +
      'to perform: ec2:CreateVpc on resource: arn:aws:ec2:us-east-1:1:vpc/* because no policy allows it';
    const error = awsFailure(call, answer(xml('UnauthorizedOperation', words), 403));

    expect(error.code).toBe('CLOUD_DENIED');
    expect(error.message).toBe(
      'Cannot do ec2:CreateVpc on arn:aws:ec2:us-east-1:1:vpc/*: arn:aws:iam::1:user/ann may not',
    );
    expect(error.hint).toContain(
      '{"Effect":"Allow","Action":"ec2:CreateVpc","Resource":"arn:aws:ec2:us-east-1:1:vpc/*"}',
    );
  });

  test('names the action that was asked for where the service does not say', () => {
    const error = awsFailure(call, answer(xml('AccessDenied', 'Access Denied'), 403));

    expect(error.details).toMatchObject({ action: 'ec2:RunInstances', resource: '*' });
  });
});

test('missingPermission finds nothing in other words', () => {
  expect(missingPermission('The VPC is gone')).toBeUndefined();
});
