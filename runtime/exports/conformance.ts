/** `tillnode/conformance`: checks that every device room must pass, for any test runner. */
export * from '../conformance/index.ts';
