const ADDRESS = '^0x[a-fA-F0-9]{40}$'
const WHOLE = '^[0-9]+$'

/**
 * The facilitator accepts an EIP-2612 permit for Permit2: `upto` needs no earlier allowance
 * (specs/extensions/eip2612_gas_sponsoring.md). `@x402/extensions` itself takes over a second to load.
 */
export const GAS_SPONSORING = {
  eip2612GasSponsoring: {
    info: {
      description: 'The facilitator accepts EIP-2612 gasless Permit to `Permit2` canonical contract.',
      version: '1',
    },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        from: { type: 'string', pattern: ADDRESS, description: 'The address of the sender.' },
        asset: { type: 'string', pattern: ADDRESS, description: 'The address of the ERC-20 token contract.' },
        spender: {
          type: 'string',
          pattern: ADDRESS,
          description: 'The address of the spender (Canonical Permit2).',
        },
        amount: {
          type: 'string',
          pattern: WHOLE,
          description: 'The amount to approve (uint256). Typically MaxUint.',
        },
        nonce: { type: 'string', pattern: WHOLE, description: 'The current nonce of the sender.' },
        deadline: {
          type: 'string',
          pattern: WHOLE,
          description: 'The timestamp at which the signature expires.',
        },
        signature: {
          type: 'string',
          pattern: '^0x[a-fA-F0-9]+$',
          description: 'The 65-byte concatenated signature (r, s, v) as a hex string.',
        },
        version: {
          type: 'string',
          pattern: '^[0-9]+(\\.[0-9]+)*$',
          description: 'Schema version identifier.',
        },
      },
      required: ['from', 'asset', 'spender', 'amount', 'nonce', 'deadline', 'signature', 'version'],
    },
  },
} as const
