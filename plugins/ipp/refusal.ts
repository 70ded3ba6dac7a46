/** How a request ends (RFC 8011, appendix B). */

export const STATUS = {
  ...{
    ok: 0x0000,
    ignored: 0x0001,
    badRequest: 0x0400,
    forbidden: 0x0401,
    notPossible: 0x0404,
    notFound: 0x0406,
    tooLarge: 0x0408,
  },
  ...{ formatNotSupported: 0x040a, valuesNotSupported: 0x040b, charsetNotSupported: 0x040d },
  ...{ compressionNotSupported: 0x040f, compressionError: 0x0410, formatError: 0x0411 },
  ...{
    internal: 0x0500,
    operationNotSupported: 0x0501,
    versionNotSupported: 0x0503,
    device: 0x0504,
    temporary: 0x0505,
  },
  ...{ notAccepting: 0x0506, busy: 0x0507, canceled: 0x0508, manyDocuments: 0x0509 },
} as const;

/** A request that is refused with this status code; the message is for people. */
export class IppRefusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** No printer is there: no job is taken (server-error-not-accepting-jobs). */
export const noPrinter = (): IppRefusal => new IppRefusal(STATUS.notAccepting, 'no printer is connected');
