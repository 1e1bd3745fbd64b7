import * as z from 'zod'

/** Version of the form of these documents; rises whenever a field changes its meaning or goes away. */
export const INPUTS_VERSION = '1'

const address = z.string().regex(/^0x[0-9a-f]{40}$/)
const hash = z.string().regex(/^0x[0-9a-f]{64}$/)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.number().int().min(0)
/** Micro-USDC as decimal digits: sums may pass 2^53. */
const amount = z.string().regex(/^\d+$/)
const utcText = z.string().regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)

/** What decides which transfers are payments and how they are screened; the same for every merchant of a run. */
const basisShape = z.object({
  chain: z.object({
    name: z.literal('base'),
    chain_id: count,
    /** Hash of block 0. */
    genesis_hash: hash,
  }),
  contracts: z.object({ usdc: address, permit2_proxies: z.array(address) }),
  method: z.object({
    version: z.string(),
    payment_rule: z.string(),
    /** By priority: a payment counts under the first that flags it. Amounts in micro-USDC, counts per window. */
    screens: z.array(
      z.object({ kind: z.string(), version: count, thresholds: z.record(z.string(), z.number()) }),
    ),
  }),
  /** Senders whose settlements count whoever is paid. */
  facilitators: z.object({ list: z.string(), addresses: z.array(address) }),
  /** Wallets of facilitators themselves: what they are paid is no payment. */
  excluded_payees: z.array(address),
  /** The list of labelled exchange and bridge wallets; null when none is configured. */
  labels: z.object({ version: z.string(), sha256 }).nullable(),
})

/** A set of addresses by its digest: SHA-256 over each in ascending order, lower-case, and a line feed. */
const addressSetShape = z.object({ count, sha256 })

const editionShape = z.object({
  inputs_version: z.literal(INPUTS_VERSION),
  /** `rolling`, or the published week by the date of its end. */
  edition: z.string(),
  /** 0 for the rolling window; a published week begins at 1. */
  revision: count,
  /** Why this revision was made; null for the first. */
  reason: z.string().nullable(),
  window: z.object({
    /** end_block - 302400; nominal, and possibly negative, on a chain whose blocks are not two seconds apart. */
    start_block: z.number().int(),
    /** The first block after the window. */
    end_block: count,
    complete: z.boolean(),
    /** A payment belongs to the window when start <= block time < end. */
    start: utcText,
    end: utcText,
  }),
})

/** What a published week was computed with: `/weeks/{week}/inputs.json`. */
export const weekInputsShape = editionShape.extend({
  published_at: utcText,
  ...basisShape.shape,
  /** Payees of known listings: an EIP-3009 transfer to one of them counts whoever sent it. */
  listed_payees: addressSetShape.extend({ addresses: z.array(address) }),
  merchants: count,
  payments: count,
  /** The file that every merchant's evidence is read from, in gzip members, one a merchant. */
  evidence: z.object({ sha256, size_bytes: count }).nullable(),
})

/**
 * What a merchant's report was computed with, so that anyone with an RPC of the chain can compute it again:
 * `/merchants/base/{address}/inputs.json`.
 */
export const reportInputsShape = editionShape.extend({
  /** As the report has it. */
  generated_at: utcText,
  address,
  /** The report that these inputs belong to: where it lies, and the digest of its bytes. */
  report: z.object({ url: z.string(), sha256 }),
  ...basisShape.shape,
  /** `has_merchant` is all that this report needs of the set; the set itself lies at `url`, null when rolling. */
  listed_payees: addressSetShape.extend({ has_merchant: z.boolean(), url: z.string().nullable() }),
  claimed: z.boolean(),
  /** Wallets that the merchant has disclosed as its own, ascending; they count under `self_pay`. */
  disclosed_wallets: z.array(address),
  /** Cheapest first. The report shows each resource, price and text once, descriptions cut to 240 characters. */
  listings: z.array(
    z.object({
      resource: z.string(),
      /** Lower case, with the port unless it is the scheme's own. */
      host: z.string(),
      /** HTTP method, or the tool's name of an MCP listing; empty when the source does not say. */
      operation: z.string(),
      price: amount,
      description: z.string(),
    }),
  ),
  /** Merchants are ranked by real revenue, then real_tx, both descending, then by address; these are its own. */
  rank: z.object({
    real_amount: amount,
    real_tx: count,
    /** Merchants of the edition, ranked or not. */
    merchants: count,
    /** The ranking in which the others stand. */
    url: z.string(),
  }),
  /** Every payment that the figures add up: SHA-256 of the NDJSON that `url` answers. Null when rolling. */
  evidence: z.object({ url: z.string(), payments: count, sha256 }).nullable(),
})

export type Basis = z.output<typeof basisShape>
export type WeekInputs = z.output<typeof weekInputsShape>
export type ReportInputs = z.output<typeof reportInputsShape>
