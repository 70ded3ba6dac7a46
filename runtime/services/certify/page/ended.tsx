/** What came of a certification: the file to send in, or why there is none. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { NodeError } from '../../../client/client.ts';
import { faultOf } from '../../../page/kit/sentences.ts';
import type { Certificate } from '../../../recipes/certificate.ts';
import { say } from './say.ts';

interface EndedProps {
  readonly certificate: Certificate | undefined;
  readonly fault: unknown;
  readonly onAgain: () => void;
}

/** The report and the file, or the fault; and a way back to the devices. */
export function Ended({ certificate, fault, onAgain }: EndedProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section class="card" aria-labelledby="ended">
      <h3 id="ended" ref={heading} tabIndex={-1} class={certificate === undefined ? 'bad' : 'good'}>
        {say(certificate === undefined ? 'failedTitle' : 'doneTitle')}
      </h3>
      {certificate === undefined ? (
        <>
          <p>{reasonOf(fault)}</p>
          <p class="quiet">{say('nothingWritten')}</p>
        </>
      ) : (
        <Save certificate={certificate} />
      )}
      <div class="row">
        <button type="button" onClick={onAgain}>
          {say('again')}
        </button>
      </div>
    </section>
  );
}

/** As a sentence: what a terminal says behind a colon begins small. */
function reasonOf(fault: unknown): string {
  const own = fault instanceof NodeError ? say.find(`fault_${fault.code}`) : undefined;
  const reason = own ?? faultOf(fault);
  return reason.charAt(0).toUpperCase() + reason.slice(1);
}

function Save({ certificate }: { readonly certificate: Certificate }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const text = `${JSON.stringify(certificate, null, 2)}\n`;
    const made = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [certificate]);
  return (
    <>
      {url && (
        <a class="main" href={url} download={`certificate-${certificate.row.kind}.json`}>
          {say('save')}
        </a>
      )}
      <p>
        {say('fileHolds')} {say('send')}
      </p>
      <ul>
        {certificate.report.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  );
}
