import * as z from 'zod'
import { health, utcTime } from '../build/merchant-report.ts'

/** Version of the format; incremented when a field changes its meaning or is removed. */
export const INPUTS_VERSION = '1'

const address = z.string().regex(/^0x[0-9a-f]{40}$/)
const hash = z.string().regex(/^0x[0-9a-f]{64}$/)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.number().int().min(0)
/** Micro-USDC as decimal digits, because sums may exceed 2^53. */
const amount = z.string().regex(/^\d+$/)

/** Which transfers are payments and how they are screened; the same for every merchant of an edition. */
const basisShape = z.object({
  chain: z.object({
    name: z.literal('base'),
    chain_id: count,
    genesis_hash: hash,
  }),
  contracts: z.object({ usdc: address, permit2_proxies: z.array(address) }),
  method: z.object({
    version: z.string(),
    payment_rule: z.string(),
    /** By priority: the first that flags a payment counts. Amounts in micro-USDC, counts per window. */
    screens: z.array(
      z.object({ kind: z.string(), version: count, thresholds: z.record(z.string(), z.number()) }),
    ),
  }),
  /** Senders whose settlements count for any payee. */
  facilitators: z.object({ list: z.string(), addresses: z.array(address) }),
  /** Wallets of facilitators themselves: transfers to them are not payments. */
  excluded_payees: z.array(address),
  /** The list of labelled exchange and bridge wallets; null when none is configured. */
  labels: z.object({ version: z.string(), sha256 }).nullable(),
})

/** By the SHA-256 over each address in ascending order, in lower case, and a line feed. */
const addressSetShape = z.object({ count, sha256 })

const editionShape = z.object({
  inputs_version: z.literal(INPUTS_VERSION),
  /** `rolling`, or the published week by its end date. */
  edition: z.string(),
  /** 0 for the rolling window; published weeks start at 1. */
  revision: count,
  /** The reason for this revision; null for the first. */
  reason: z.string().nullable(),
  window: z.object({
    /** end_block - 302400; possibly negative on a chain whose blocks are not two seconds apart. */
    start_block: z.number().int(),
    /** The first block after the window. */
    end_block: count,
    complete: z.boolean(),
    /** A payment belongs to the window when start <= block time < end. */
    start: utcTime,
    end: utcTime,
  }),
})

/** The inputs of a published week: `/weeks/{week}/inputs.json`. */
export const weekInputsShape = editionShape.extend({
  published_at: utcTime,
  ...basisShape.shape,
  /** Payees of the listings in use: an EIP-3009 transfer to one of them counts for any sender. */
  listed_payees: addressSetShape.extend({ addresses: z.array(address) }),
  merchants: count,
  payments: count,
  /** The file that holds the evidence of all merchants, as gzip members, one for each merchant. */
  evidence: z.object({ sha256, size_bytes: count }).nullable(),
})

/** From these and any node anyone can recompute a report: `/merchants/base/{address}/inputs.json`. */
export const reportInputsShape = editionShape.extend({
  generated_at: utcTime,
  address: z.union([address, z.string().regex(/^host:\S+$/)]),
  /** Of a merchant group: its wallets, ascending, and those of them that a listing names. */
  wallets: z.array(address).optional(),
  listed_wallets: z.array(address).optional(),
  /** The report that these inputs belong to: its URL and the digest of its bytes. */
  report: z.object({ url: z.string(), sha256 }),
  ...basisShape.shape,
  /** This report needs only `has_merchant`; the set is at `url`, null for the rolling window. */
  listed_payees: addressSetShape.extend({ has_merchant: z.boolean(), url: z.string().nullable() }),
  claimed: z.boolean(),
  /** Disclosed wallets of the merchant, and all wallets of a merchant group, ascending; they count under `self_pay`. */
  disclosed_wallets: z.array(address),
  /**
   * Those of them with which the publisher pays this merchant, its own service, as its settings and not a claim
   * state, ascending; absent if there are none.
   */
  operator_wallets: z.array(address).optional(),
  /** The highest price that the claim states, micro-USDC; absent if it states none. */
  max_price: amount.optional(),
  /**
   * From version 3 of the method on: the wallets through which the merchant's money was followed back to its
   * buyers, ascending, and those of their partners through which it was not, since many people share them.
   */
  followed_wallets: z.array(address).optional(),
  hubs: z.array(address).optional(),
  /** Cheapest first; the report shows each resource once, with descriptions cut to 240 characters. */
  listings: z.array(
    z.object({
      resource: z.string(),
      /** Lower case, with the port unless it is the default port of the scheme. */
      host: z.string(),
      /** HTTP method, or the tool name of an MCP listing; empty when the source does not state it. */
      operation: z.string(),
      price: amount,
      /** Payment schemes. Absent from inputs of an older form, where every price counts as `exact`. */
      schemes: z.array(z.string()).optional(),
      /** What unpaid requests showed, and since when; absent if the endpoint was not checked. */
      health: health.optional(),
      description: z.string(),
    }),
  ),
  /** Micro-USDC: smaller payments are not counted. Absent from inputs of an older form. */
  floor: amount.optional(),
  /** By real revenue, then real_tx, both descending, then address: the merchant's own values. */
  rank: z.object({
    real_amount: amount,
    real_tx: count,
    /** Merchants in the ranking at `url`, ranked or not. */
    merchants: count,
    /** URL of the ranking with the other merchants. */
    url: z.string(),
  }),
  /** Every payment behind the figures: SHA-256 of the NDJSON at `url`. Null for the rolling window. */
  evidence: z.object({ url: z.string(), payments: count, sha256 }).nullable(),
})

export type Basis = z.output<typeof basisShape>
export type WeekInputs = z.output<typeof weekInputsShape>
export type ReportInputs = z.output<typeof reportInputsShape>
