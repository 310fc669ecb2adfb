/** Calls AWS as its query API wants it. The server is a stand-in, so nothing checks the signature. */
export interface AwsQuery {
  call(
    service: string,
    action: string,
    parameters?: Readonly<Record<string, string>>,
  ): Promise<string>;
}

const VERSIONS: Readonly<Record<string, string>> = {
  cloudformation: '2010-05-15',
  ec2: '2016-11-15',
  iam: '2010-05-08',
};

export function awsQuery(url: string, region = 'us-east-1'): AwsQuery {
  return {
    async call(service, action, parameters = {}) {
      const credential = `test/20260101/${region}/${service}/aws4_request`;
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=host, Signature=0`,
        },
        body: new URLSearchParams({
          Action: action,
          Version: VERSIONS[service] ?? '',
          ...parameters,
        }),
      });
      const text = await response.text();
      if (response.ok) return text;
      throw new Error(`${service}:${action} answered ${response.status}: ${text}`);
    },
  };
}

/** The texts of all elements of a name, in order. */
export function elements(xml: string, name: string): string[] {
  const all = xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'));
  return [...all].map(([, text = '']) => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
}

/** Makes a stack and returns its outputs. */
export async function createStack(
  aws: AwsQuery,
  name: string,
  body: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<Record<string, string>> {
  const given = Object.entries(parameters).flatMap(([key, value], index) => [
    [`Parameters.member.${index + 1}.ParameterKey`, key],
    [`Parameters.member.${index + 1}.ParameterValue`, value],
  ]);
  await aws.call('cloudformation', 'CreateStack', {
    StackName: name,
    TemplateBody: body,
    'Capabilities.member.1': 'CAPABILITY_NAMED_IAM',
    ...Object.fromEntries(given),
  });
  const xml = await aws.call('cloudformation', 'DescribeStacks', { StackName: name });
  const [status] = elements(xml, 'StackStatus');
  if (status !== 'CREATE_COMPLETE') throw new Error(`The stack ${name} is ${status}: ${xml}`);
  const values = elements(xml, 'OutputValue');
  return Object.fromEntries(
    elements(xml, 'OutputKey').map((key, index) => [key, values[index] ?? '']),
  );
}
