/** The version of Tollbook and its licence, as in `package.json` (test/release.test.ts). */
export const PRODUCT = { version: '1.0.0', license: 'Apache-2.0' } as const
