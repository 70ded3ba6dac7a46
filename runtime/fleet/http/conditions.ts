/** Conditions of requests. */

/** Whether a field `If-None-Match` names this entity tag (RFC 9110, 13.1.2). */
export const namesTag = (field: string, etag: string): boolean =>
  field.split(',').some((each) => ['*', etag].includes(each.trim().replace(/^W\//, '')));
