import { describe, expect, test } from 'vitest';
import { readXml, under } from '../../shared/xml.ts';
import { faultIn, faultOf, vsphereFault } from './fault.ts';
import { envelope, refTag, tag, typedTag } from './markup.ts';
import { refIn, textIn, typeOf } from './read.ts';

const body = (fault: string) =>
  under(
    readXml(
      `<soapenv:Envelope><soapenv:Body><soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>no</faultstring><detail>${fault}</detail></soapenv:Fault></soapenv:Body></soapenv:Envelope>`,
    ),
    'soapenv:Body',
  );

describe('vsphereFault', () => {
  test('names the privilege that is missing, and where', () => {
    const found = faultIn(
      body(
        '<NoPermissionFault xsi:type="NoPermission"><object type="Folder">group-v3</object><privilegeId>VirtualMachine.Inventory.Delete</privilegeId></NoPermissionFault>',
      ),
    );

    const error = vsphereFault('remove a machine', found?.fault, found?.words ?? '');

    expect(error).toMatchObject({
      code: 'CLOUD_DENIED',
      message: 'Cannot remove a machine: the user may not VirtualMachine.Inventory.Delete',
      hint: 'Add the privilege VirtualMachine.Inventory.Delete to the role that the user has on group-v3',
    });
    expect(faultOf(error)).toBe('NoPermission');
  });

  test.each([
    ['InvalidLogin', 'CLOUD_CREDENTIALS'],
    ['NoDiskSpace', 'CLOUD_QUOTA'],
    ['DuplicateName', 'CLOUD_REFUSED'],
  ])('of %s has the code %s', (name, code) => {
    const found = faultIn(body(`<Fault xsi:type="vim25:${name}"/>`));

    expect(vsphereFault('work', found?.fault, 'no')).toMatchObject({
      code,
      message: `Cannot work: ${name}: no`,
    });
  });
});

describe('markup', () => {
  test('escapes texts and attributes, and says types where the schema leaves them open', () => {
    const value = typedTag('value', 'xsd:string', 'a<b & "c"');

    expect(tag('key', [value]).markup).toBe(
      '<key><value xsi:type="xsd:string">a&lt;b &amp; &quot;c&quot;</value></key>',
    );
    expect(refTag('obj', { type: 'Folder', value: 'group-d1' }).markup).toBe(
      '<obj type="Folder">group-d1</obj>',
    );
  });

  test('is read back as it was written', () => {
    const ref = { type: 'Task', value: 'task-1' };
    const root = readXml(envelope('CancelTask', ref, [tag('reason', 'a & b')]));
    const call = under(root, 'soapenv:Body', 'CancelTask');

    expect(refIn(call, '_this')).toEqual(ref);
    expect(textIn(call, 'reason')).toBe('a & b');
    expect(refIn(call, 'reason')).toBeUndefined();
  });

  test('has its types in any prefix', () => {
    expect(typeOf(readXml('<a any:type="other:VirtualDisk"><b/></a>'))).toBe('VirtualDisk');
    expect(typeOf(readXml('<a/>'))).toBe('');
  });
});
