/** Server Direct Print: what a server answers, and what it hears. */
import { describe, expect, it } from 'vitest';
import { eposCodeOf, eposStatusOf } from '../../codecs/epos-results.ts';
import { SdpReader, sdpJob, sdpJobs, sdpResponse, sdpStatus } from '../../codecs/epos-sdp.ts';
import { readXml } from '../../codecs/xml-tree.ts';

const PRINT = '<epos-print xmlns="http://www.epson-pos.com/schemas/2011/03/epos-print">';
const job = (id: string | undefined, body = '<text>a</text>') =>
  `<ePOSPrint><Parameter><devid>local_printer</devid><timeout>10000</timeout>${
    id === undefined ? '' : `<printjobid>${id}</printjobid>`
  }</Parameter><PrintData>${PRINT}${body}</epos-print></PrintData></ePOSPrint>`;
const printed = [{ type: 'print', lines: [{ type: 'text', value: 'a' }] }];
/** A mark, whatever it is. */
const document = expect.any(String);

describe('an answer', () => {
  it.each(['', ' \r\n', '<PrintRequestInfo Version="1.00"/>'])('that is empty has no job: %j', (answer) => {
    expect(sdpJobs(answer).jobs).toEqual([]);
  });

  it('that acknowledges the request has no job: WooCommerce POS has no empty answers', () => {
    expect(sdpJobs('<response success="true" code="" status=""/>').jobs).toEqual([]);
    const [failed] = sdpJobs('<response success="false" code="x" status=""/>').jobs;
    expect(failed?.commands).toMatchObject({ fault: expect.stringContaining('response: ') });
  });

  it.each(['\n', '\ufeff', ' \r\n\r\n '])('may begin with %j before its declaration', (before) => {
    const answer = `${before}<?xml version="1.0" encoding="utf-8" ?>\n<PrintRequestInfo>${job('1')}</PrintRequestInfo>`;
    expect(sdpJobs(answer)).toMatchObject({ jobs: [{ id: '1', commands: printed }] });
  });

  it('that cannot be read from some place on has the jobs that are whole before it, and the others as faults', () => {
    const whole = `<PrintRequestInfo Version="2.00">${job('1')}${job('2')}${job('3', '<text>&#27;</text>')}${job('4')}`;
    const { jobs, fault } = sdpJobs(`${whole}</PrintRequestInfo>`);
    expect(jobs.map(({ id }) => id)).toEqual(['1', '2', '3', '4']);
    expect(jobs.slice(0, 2)).toMatchObject([{ commands: printed }, { commands: printed }]);
    for (const { commands } of jobs.slice(2)) expect(commands).toEqual({ fault });
    // What is not said to be at fault is not reported so: a server takes the result of one without an id for the one that it waits for.
    for (const end of ['', '</PrintRequestInfo><br />Warning', job(undefined, '</x>')])
      expect(sdpJobs(`<PrintRequestInfo>${job(undefined)}${end}`)).toEqual({
        ...{ version: '1.00', fault: expect.stringContaining('line 1') },
        jobs: [{ device: 'local_printer', document, commands: printed }],
      });
  });

  it('has several jobs, with their ids', () => {
    const answer = `<?xml version="1.0" encoding="utf-8"?>\n<PrintRequestInfo Version="3.00">${job('A-1')}${job('b_2.')}</PrintRequestInfo>`;
    expect(sdpJobs(answer)).toEqual({
      version: '3.00',
      jobs: [
        { id: 'A-1', device: 'local_printer', document, commands: printed },
        { id: 'b_2.', device: 'local_printer', document, commands: printed },
      ],
    });
  });

  it('has hundreds of jobs, where a printer was off for a day', () => {
    const ids = Array.from({ length: 300 }, (_, n) => `r-${n}`);
    const whole = ids.map((id) => job(id)).join('');
    const { jobs } = sdpJobs(`<PrintRequestInfo Version="2.00">${whole}</PrintRequestInfo>`);
    expect(jobs).toEqual(ids.map((id) => ({ id, device: 'local_printer', document, commands: printed })));
    // Of one that cannot be read, each is told.
    expect(sdpJobs(`<Print Version="2.00">${whole}`).jobs.map(({ id }) => id)).toEqual(ids);
    const many = Array.from({ length: 1002 }, (_, n) => job(`r-${n}`)).join('');
    const { jobs: all, fault } = sdpJobs(`<PrintRequestInfo Version="2.00">${many}</PrintRequestInfo>`);
    expect(all.slice(999).map(({ id, commands }) => [id, 'fault' in commands])).toEqual([
      ...[
        ['r-999', false],
        ['r-1000', true],
        ['r-1001', true],
      ],
    ]);
    expect(fault).toContain('more than 1000 jobs');
  });

  it.each([1, 7, 100])('is the same where it arrives in pieces of %i characters', (length) => {
    const whole = `<?xml version="1.0"?>\n<PrintRequestInfo Version="3.00">${job('a')}${job('b', '<logo/>')}${job('c')}`;
    const half = whole.slice(0, -9).replace('<logo/>', '<logo/>'.repeat(20));
    for (const answer of ['', ' ', whole, `${whole}</PrintRequestInfo>`, `${whole}</Print>`, half, `\n${half}`]) {
      const reader = new SdpReader();
      const parts = (answer.match(new RegExp(`.{1,${length}}`, 'gs')) ?? []).flatMap((piece) => reader.write(piece));
      reader.end();
      const { version, fault, faults } = reader;
      const jobs = [...parts.map(sdpJob), ...faults];
      expect({ version, jobs, ...(fault !== undefined && { fault }) }).toEqual(sdpJobs(answer));
    }
  });

  it('tells what of Parameter is not understood, and prints the job', () => {
    const odd = job('1').replace('<timeout>10000<', '<foo>1</foo><timeout>abc<');
    const { jobs } = sdpJobs(`<PrintRequestInfo Version="2.00">${odd}${job('2')}</PrintRequestInfo>`);
    expect(jobs).toEqual([
      {
        ...{ id: '1', device: 'local_printer', document, commands: printed },
        remarks: expect.stringMatching(/^foo: .*timeout: /),
      },
      { id: '2', device: 'local_printer', document, commands: printed },
    ]);
  });

  it('marks the same document alike, however it is written, and another otherwise', () => {
    const marks = (...bodies: string[]) =>
      new Set(
        bodies.map((body, n) => sdpJobs(`<PrintRequestInfo>${job(`${n}`, body)}</PrintRequestInfo>`).jobs[0]?.document),
      );
    const same = [
      '<text em="1" ul="0">\u{1f600}&amp;</text>',
      "<text ul='0'\nem='1'><![CDATA[\u{1f600}]]>&#38;<!-- --></text >",
    ];
    expect(marks(...same).size).toBe(1);
    // A piece of 64 K ends in the emoji.
    const long = ['x'.repeat(65_535), 'x'.repeat(65_536)].map((text) => `<text>${text}\u{1f600}\u{1f601}</text>`);
    const others = [
      '<text>a</text><text/>',
      '<text>a<text/></text>',
      '<text a="b=c"/>',
      '<text a="b" c=""/>',
      '<text/>',
    ];
    expect(marks(...same, ...long, ...others).size).toBe(8);
  });

  it('whose one job is too long to hold is reported', () => {
    const reader = new SdpReader();
    reader.write('<PrintRequestInfo Version="2.00"><ePOSPrint><!--');
    const piece = 'x'.repeat(1_000_000);
    for (let n = 0; n < 9; n += 1) reader.write(piece);
    reader.end();
    expect(reader.faults).toMatchObject([{ commands: { fault: expect.stringContaining('ePOSPrint: is over') } }]);
  });

  it('before version 2.00 has jobs without an id', () => {
    expect(sdpJobs(`<PrintRequestInfo>${job(undefined)}</PrintRequestInfo>`)).toEqual({
      version: '1.00',
      jobs: [{ device: 'local_printer', document, commands: printed }],
    });
  });

  it('with one job at fault has the others all the same', () => {
    const answer = `<PrintRequestInfo Version="2.00">${job('1', '<logo/>')}${job('2')}</PrintRequestInfo>`;
    expect(sdpJobs(answer).jobs).toMatchObject([
      { id: '1', commands: { fault: expect.stringContaining('logo: ') } },
      { id: '2', commands: printed },
    ]);
  });

  it.each([
    [`<s:Envelope xmlns:s="u"><s:Body>${job('7')}</s:Body></s:Envelope>`, ['7'], 's:Envelope: '],
    ['<PrintRequestInfo><ePOSPrint></PrintRequestInfo>', [undefined], 'line 1'],
    ['<html><body>502</body></html>', [undefined], 'html: '],
    ['{"jobReady":false}', [undefined], 'line 1'],
    [`<!DOCTYPE a><PrintRequestInfo>${job('1')}</PrintRequestInfo>`, ['1'], 'document type'],
    [
      `<PrintRequestInfo>${job('x').replace('ePOSPrint', 'ePOSDisplay').replace('/ePOSPrint', '/ePOSDisplay')}</PrintRequestInfo>`,
      ['x'],
      'ePOSDisplay: ',
    ],
    [
      `<PrintRequestInfo>${job('x').replace('PrintData', 'Data').replace('/PrintData', '/Data')}</PrintRequestInfo>`,
      ['x'],
      'Data: ',
    ],
    ['<PrintRequestInfo><ePOSPrint/></PrintRequestInfo>', [undefined], 'ePOSPrint: '],
    [`<PrintRequestInfo>${job('x'.repeat(512))}</PrintRequestInfo>`, ['x'.repeat(512)], 'printjobid: '],
    [`<PrintRequestInfo>${job('K\u00fcche &amp; Bar')}</PrintRequestInfo>`, ['K\u00fcche & Bar'], 'printjobid: '],
    [`<PrintRequestInfo>${job('x'.repeat(513))}</PrintRequestInfo>`, [undefined], 'printjobid: '],
    [`<PrintRequestInfo>${job('a&#10;b')}</PrintRequestInfo>`, [undefined], 'printjobid: '],
  ])('that cannot be read is reported, never passed over: %.50s', (answer, ids, words) => {
    const { jobs } = sdpJobs(answer);
    expect(jobs.map(({ id }) => id)).toEqual(ids);
    for (const { commands } of jobs) expect(commands).toMatchObject({ fault: expect.stringContaining(words) });
  });
});

describe('a result', () => {
  it('has the id, and success or the code, where Odoo and WooCommerce POS read them', () => {
    const state = { known: true, online: false, paperOut: false, coverOpen: true };
    const response = sdpResponse('2.00', [
      { id: 'a', device: 'local_printer', code: '', status: eposStatusOf(undefined, true) },
      { id: 'b', device: 'local_printer', code: eposCodeOf('cover_open'), status: eposStatusOf(state) },
      { device: 'local_printer', code: eposCodeOf('invalid_command'), status: 1, detail: 'page: "no" <&>' },
    ]);
    const read = readXml(response);
    expect(read).toMatchObject({ name: 'PrintResponseInfo', space: '' });
    const found = [...response.matchAll(/<ePOSPrint>.*?<\/ePOSPrint>/gs)].map(([part]) => ({
      id: /<printjobid>(.*?)<\/printjobid>/.exec(part)?.[1],
      success: /<response\b[^>]*\bsuccess="([^"]*)"/.exec(part)?.[1],
      code: /<response\b[^>]*\bcode="([^"]*)"/.exec(part)?.[1],
    }));
    expect(found).toEqual([
      { id: 'a', success: 'true', code: '' },
      { id: 'b', success: 'false', code: 'EPTR_COVER_OPEN' },
      { id: undefined, success: 'false', code: 'SchemaError' },
    ]);
    expect(response).toContain('detail="page: &quot;no&quot; &lt;&amp;&gt;"');
  });

  it('says first whether the answer was understood, from version 3.00 on', () => {
    expect(sdpResponse('3.00', [])).toContain('<ServerDirectPrint><Response Success="true"/></ServerDirectPrint>');
    expect(sdpResponse('2.00', [])).not.toContain('ServerDirectPrint');
  });

  it.each([
    ['no_printer', 'EX_BADPORT'],
    ['paper_out', 'EPTR_REC_EMPTY'],
    ['unknown_endpoint', 'DeviceNotFound'],
    ['render_too_large', 'RequestEntityTooLarge'],
    ['busy', 'EX_DEVICE_BUSY'],
    ['write_failed', 'EX_TIMEOUT'],
    ['api_locked', 'PrintSystemError'],
    ['a_code_of_tomorrow', 'PrintSystemError'],
  ])('of %s is %s', (error, code) => {
    expect(eposCodeOf(error)).toBe(code);
  });
});

it('a status tells how the printer stands as automatic status back does', () => {
  const ready = { known: true, online: true, paperOut: false, coverOpen: false };
  expect(eposStatusOf(ready)).toBe(0x0f000010);
  expect(eposStatusOf({ ...ready, online: false, paperOut: true, paperLow: true })).toBe(0x0f0a0018);
  expect(eposStatusOf({ ...ready, known: false })).toBe(1);
  expect(sdpStatus('local_printer', eposStatusOf(ready))).toContain(
    '<printer devicename="local_printer" asbstatus="0x0F000010"/>',
  );
});
