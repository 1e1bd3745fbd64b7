import { describeRead, jsonOf, PROBLEM } from '../documents/openapi-operation.ts'

const WALLET = { type: 'string', pattern: '^0[xX][0-9a-fA-F]{40}$' } as const
const DISCLOSURES = { type: 'array', items: WALLET, maxItems: 50 } as const
const TEXT_OR_NULL = { type: ['string', 'null'] } as const
const WISH = {
  address: {
    ...WALLET,
    description: 'The wallet that receives the payments. A mixed-case address is checked as EIP-55.',
  },
  action: { enum: ['claim', 'withdraw'], default: 'claim' },
  statement: {
    ...TEXT_OR_NULL,
    maxLength: 500,
    description:
      'The merchant’s own statement: plain text without control, bidirectional or invisible characters.',
  },
  disclosures: { ...DISCLOSURES, description: 'Other wallets of the merchant.' },
} as const
const RECORD = { $ref: '#/components/schemas/Claim' } as const

/** The OpenAPI paths for claiming and disputing reports. */
export const CLAIM_PATHS = {
  '/merchants/base/{address}/claim.json': describeRead({
    id: 'getClaim',
    summary: 'The public record of a merchant’s claim: signed text, signature, statement and disclosures',
    parameters: ['address'],
    answer: jsonOf('Claim'),
  }),
} as const

/** The POST operations of these paths, separate because they take a body. */
export const CLAIM_POSTS = {
  '/claims/challenge': post({
    id: 'createClaimChallenge',
    summary:
      'Get a text to sign (EIP-4361). It contains everything that its signature publishes and is valid for 15 minutes',
    body: { type: 'object', required: ['address'], additionalProperties: false, properties: WISH },
    answer: { $ref: '#/components/schemas/ClaimChallenge' },
  }),
  '/claims': post({
    id: 'claim',
    summary: 'Claim a report, or withdraw the claim, with the signature of a challenge',
    body: {
      type: 'object',
      required: ['message', 'signature'],
      additionalProperties: false,
      properties: {
        message: { type: 'string', description: 'The message of the challenge, byte for byte.' },
        signature: {
          type: 'string',
          pattern: '^0x([0-9a-fA-F]{2})+$',
          description:
            'An EIP-191 signature, or a signature that the wallet accepts by ERC-1271 or ERC-6492.',
        },
        statement: { ...TEXT_OR_NULL, description: 'If present, it must equal the value in the message.' },
        disclosures: { ...DISCLOSURES, description: 'If present, it must equal the value in the message.' },
      },
    },
    answer: RECORD,
  }),
  '/disputes': post({
    id: 'dispute',
    summary: 'Send a note to the operator if you cannot sign. At most five a day; notes are never published',
    body: {
      type: 'object',
      required: ['address', 'text'],
      additionalProperties: false,
      properties: {
        address: WALLET,
        week: { type: ['string', 'null'], format: 'date', description: 'Null for the newest window.' },
        contact: { ...TEXT_OR_NULL, maxLength: 200, description: 'Visible to the operator only.' },
        text: { type: 'string', minLength: 1, maxLength: 4000 },
      },
    },
    answer: { type: 'object', properties: { id: { type: 'string' }, status: { enum: ['open'] } } },
  }),
} as const

const TIME = { type: 'string', format: 'date-time' } as const
const SAID = {
  address: WALLET,
  statement: TEXT_OR_NULL,
  disclosures: DISCLOSURES,
} as const

/** The response schemas of these paths. */
export const CLAIM_SCHEMAS = {
  ClaimChallenge: {
    type: 'object',
    properties: {
      ...SAID,
      action: { enum: ['claim', 'withdraw'] },
      nonce: { type: 'string' },
      issued_at: TIME,
      expires_at: TIME,
      message: { type: 'string' },
    },
  },
  Claim: {
    type: 'object',
    properties: {
      ...SAID,
      chain: { const: 'base' },
      claimed: { type: 'boolean' },
      action: { enum: ['claim', 'withdraw', null] },
      made_at: { type: ['string', 'null'], format: 'date-time' },
      message: TEXT_OR_NULL,
      signature: TEXT_OR_NULL,
      note: { type: 'string' },
    },
  },
} as const

type Post = {
  readonly id: string
  readonly summary: string
  readonly body: unknown
  readonly answer: unknown
}

function post({ id, summary, body, answer }: Post) {
  return {
    post: {
      operationId: id,
      summary,
      security: [],
      requestBody: { required: true, content: { 'application/json': { schema: body } } },
      responses: {
        201: { description: summary, content: { 'application/json': { schema: answer } } },
        default: PROBLEM,
      },
    },
  }
}
