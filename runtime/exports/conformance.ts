/** `tillnode/conformance`: what every device room keeps, as checks for any test runner. */
export * from '../conformance/index.ts';
