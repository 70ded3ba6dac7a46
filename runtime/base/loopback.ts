/** Whether this host, a name or an address as it stands in a URL or by itself, is this machine alone (RFC 6761, 6.3; RFC 6890). */
export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){1,3}|::1|\[::1\])$/i.test(host);
