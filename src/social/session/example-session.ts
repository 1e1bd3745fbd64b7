/** The session in examples; its second value belongs to it under a key of 32 zero bytes. */
export const EXAMPLE_SESSION = {
  auth_token: '0123456789abcdef0123456789abcdef01234567',
  ct0: 'e5914e0bd41f52b5fc16dd3044acf219d05ea3725ac040f13de75555251294f1',
} as const
