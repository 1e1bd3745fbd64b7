import { CONTRACTS } from './contracts.ts'
import { type Address, bytesToHex, type Hex } from './hex.ts'
import { keccak } from './keccak.ts'
import { encodeWords, type Word } from './words.ts'

// A general encoder of typed data takes about 20 times as long.

/** keccak256 of each type string (EIP-712 encodeType); the test derives them from the strings. */
export const TYPE_HASHES = {
  /** EIP712Domain(string name,string version,uint256 chainId,address verifyingContract) */
  tokenDomain: '0x8b73c3c69bb8fe3d512ecc4cf759cc79239f7b179b0ffacaa9a75d522b39400f',
  /** EIP712Domain(string name,uint256 chainId,address verifyingContract) */
  permit2Domain: '0x8cad95687ba82c2ce50e74f7b754645e5117c3a5bec8151c0726d5857980a866',
  /** TransferWithAuthorization of EIP-3009 */
  transfer: '0x7c7c6cdb67a18743f49ec6fa9b35f50d52ed05cbed4cc592e13b44501c1a2267',
  /** PermitWitnessTransferFrom with the witness of x402ExactPermit2Proxy */
  exactPermitTransfer: '0xebc156cd23678a74c94df13d772ef5478420637f0c94bd10d509e1dc98f521c7',
  /** The same with that of x402UptoPermit2Proxy */
  uptoPermitTransfer: '0x51dff6974ad4388c499e7fcfe838d2bd767162553a144098ce20ea661d70c2ee',
  /** TokenPermissions(address token,uint256 amount) */
  tokenPermissions: '0x618358ac3db8dc274f0cd8829da7e234bd48cd73c4a740aede1adec9846d06a1',
  /** Witness(address to,uint256 validAfter) */
  exactWitness: '0xd97b3239a7f32295517bd14cb074edfdd188dfe5eb42f802bb26d4fd1eb12c37',
  /** Witness(address to,address facilitator,uint256 validAfter) */
  uptoWitness: '0xd4171c445a74218b01d4fd8af34ff1106580ea1e36ff837e64484bfaa2253b75',
  /** Voucher(bytes32 channelId,uint128 maxClaimableAmount) */
  voucher: '0x1e1bd6ff84c3e0d9029a292b212e039c0ca97ec497c55191a4a5874294609a69',
  /** Refund(bytes32 channelId,uint256 nonce,uint128 amount) */
  refund: '0xbe23ad087435072cd69b49cc5b92de10ee610fce7ae0ab428307972d764bb216',
  /** ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt) */
  channel: '0x1c9a06ceab9b0ebbd3301dc56c9111bb6d9af421356dc9ccb3b7084c755db308',
  /** EIP712Domain(string name,string version,uint256 chainId) */
  namedDomain: '0xc2f8787176b8ac6bf7215b4adcc1e069bf4ab82d9ab1df05a57a91d425935b6e',
  /** Offer(uint256 version,string resourceUrl,string scheme,string network,string asset,string payTo,string amount,uint256 validUntil) */
  offer: '0x85143d3249b5e62ed5edd3d59a352d4e1181c775ff4f762f9c8a617f6bf1e97d',
  /** Receipt(uint256 version,string network,string resourceUrl,string payer,uint256 issuedAt,string transaction) */
  receipt: '0x616944bc4bb51b3d5fcbba8c559f76d57a93ac1e0d6659f1abbe95f92300c06f',
} as const

/** A transfer by authorization (EIP-3009); value in atomic units, times in epoch seconds. */
export type TransferAuthorization = {
  readonly from: Address
  readonly to: Address
  readonly value: bigint
  readonly validAfter: number | bigint
  readonly validBefore: number | bigint
  readonly nonce: Hex
}

/** A transfer by Permit2 through an x402 proxy: that of `exact`, or that of `upto` for one facilitator. */
export type PermitTransfer = {
  readonly token: Address
  readonly amount: bigint
  readonly nonce: Hex
  readonly deadline: number
  readonly to: Address
  readonly facilitator: string | null
  readonly validAfter: number
}

export type TokenDomain = {
  readonly name: string
  readonly version: string
  readonly chainId: number
  readonly verifyingContract: Address
}

/** The 32 bytes that are signed, of a domain and a struct (EIP-712). */
export function toDigest(domain: Buffer, struct: Buffer): Buffer {
  return keccak(Buffer.concat([PREFIX, domain, struct]))
}

export function hashTokenDomain({ name, version, chainId, verifyingContract }: TokenDomain): Buffer {
  const { tokenDomain } = TYPE_HASHES
  return hashWords([tokenDomain, hashText(name), hashText(version), chainId, verifyingContract])
}

export function hashPermit2Domain(chainId: number): Buffer {
  return hashWords([TYPE_HASHES.permit2Domain, hashText('Permit2'), chainId, CONTRACTS.permit2])
}

export function hashTransfer(transfer: TransferAuthorization): Buffer {
  const { from, to, value, validAfter, validBefore, nonce } = transfer
  return hashWords([TYPE_HASHES.transfer, from, to, value, validAfter, validBefore, nonce])
}

export function hashPermitTransfer(permit: PermitTransfer): Buffer {
  const { token, amount, nonce, deadline, to, facilitator, validAfter } = permit
  const permitted = bytesToHex(hashWords([TYPE_HASHES.tokenPermissions, token, amount]))
  if (facilitator === null) {
    const witness = bytesToHex(hashWords([TYPE_HASHES.exactWitness, to, validAfter]))
    const spender = CONTRACTS.exactPermit2Proxy
    return hashWords([TYPE_HASHES.exactPermitTransfer, permitted, spender, nonce, deadline, witness])
  }
  const witness = bytesToHex(hashWords([TYPE_HASHES.uptoWitness, to, facilitator, validAfter]))
  const spender = CONTRACTS.uptoPermit2Proxy
  return hashWords([TYPE_HASHES.uptoPermitTransfer, permitted, spender, nonce, deadline, witness])
}

/** The terms of a payment channel; together they are its identity. */
export type ChannelConfig = {
  readonly payer: Address
  /** The key that signs vouchers. */
  readonly payerAuthorizer: Address
  readonly receiver: Address
  readonly receiverAuthorizer: Address
  readonly token: Address
  /** Seconds. */
  readonly withdrawDelay: number
  readonly salt: Hex
}

/** The domain of the escrow of payment channels. */
export function hashChannelDomain(chainId: number): Buffer {
  const name = 'x402 Batch Settlement'
  return hashTokenDomain({ name, version: '1', chainId, verifyingContract: CONTRACTS.channelEscrow })
}

export function hashChannel(config: ChannelConfig, chainId: number): Hex {
  const { payer, payerAuthorizer, receiver, receiverAuthorizer, token, withdrawDelay, salt } = config
  const parties = [payer, payerAuthorizer, receiver, receiverAuthorizer, token]
  const struct = hashWords([TYPE_HASHES.channel, ...parties, withdrawDelay, salt])
  return bytesToHex(toDigest(hashChannelDomain(chainId), struct))
}

/** @param max micro-USDC of the channel's whole life. */
export function hashVoucher(channel: Hex, max: bigint): Buffer {
  return hashWords([TYPE_HASHES.voucher, channel, max])
}

/** @param refund amount in micro-USDC */
export function hashRefund(
  channel: Hex,
  { nonce, amount }: { readonly nonce: bigint; readonly amount: bigint },
): Buffer {
  return hashWords([TYPE_HASHES.refund, channel, nonce, amount])
}

/** What a seller offers (x402 extension `offer-receipt`); `validUntil` in epoch seconds. */
export type OfferPayload = {
  readonly version: 1
  readonly resourceUrl: string
  readonly scheme: string
  readonly network: string
  readonly asset: string
  readonly payTo: string
  readonly amount: string
  readonly validUntil: number
}

/** What a seller was paid for; `issuedAt` in epoch seconds, `transaction` empty if there is none yet. */
export type ReceiptPayload = {
  readonly version: 1
  readonly network: string
  readonly resourceUrl: string
  readonly payer: string
  readonly issuedAt: number
  readonly transaction: string
}

export function hashOffer(offer: OfferPayload): Buffer {
  const { version, resourceUrl, scheme, network, asset, payTo, amount, validUntil } = offer
  const texts = [resourceUrl, scheme, network, asset, payTo, amount].map(hashText)
  return toDigest(
    hashNamedDomain('x402 offer'),
    hashWords([TYPE_HASHES.offer, version, ...texts, validUntil]),
  )
}

export function hashReceipt(receipt: ReceiptPayload): Buffer {
  const { version, network, resourceUrl, payer, issuedAt, transaction } = receipt
  const words = [
    version,
    hashText(network),
    hashText(resourceUrl),
    hashText(payer),
    issuedAt,
    hashText(transaction),
  ]
  return toDigest(hashNamedDomain('x402 receipt'), hashWords([TYPE_HASHES.receipt, ...words]))
}

/** Offers and receipts have the chain id 1, whatever chain is paid on. */
function hashNamedDomain(name: string): Buffer {
  return hashWords([TYPE_HASHES.namedDomain, hashText(name), hashText('1'), 1])
}

const PREFIX = Buffer.of(0x19, 0x01)

function hashWords(words: readonly Word[]): Buffer {
  return keccak(Buffer.from(encodeWords(words), 'hex'))
}

function hashText(text: string): string {
  return bytesToHex(keccak(Buffer.from(text, 'utf8')))
}
