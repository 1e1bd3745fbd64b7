import { parseAbi } from 'viem'

/** DevPermit2: the part of Permit2 that x402 uses. */
export const devPermit2Abi = parseAbi([
  'struct TokenPermissions { address token; uint256 amount; }',
  'struct PermitTransferFrom { TokenPermissions permitted; uint256 nonce; uint256 deadline; }',
  'struct SignatureTransferDetails { address to; uint256 requestedAmount; }',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function invalidateUnorderedNonces(uint256 wordPos, uint256 mask)',
  'function nonceBitmap(address owner, uint256 wordPos) view returns (uint256)',
  'function permitWitnessTransferFrom(PermitTransferFrom permit, SignatureTransferDetails transferDetails, address owner, bytes32 witness, string witnessTypeString, bytes signature)',
  'event UnorderedNonceInvalidation(address indexed owner, uint256 word, uint256 mask)',
  'error InvalidAmount(uint256 maxAmount)',
  'error InvalidContractSignature()',
  'error InvalidNonce()',
  'error InvalidSignature()',
  'error InvalidSignatureLength()',
  'error InvalidSigner()',
  'error SignatureExpired(uint256 signatureDeadline)',
])

/** DevWalletFactory: wallets whose address is known before they are deployed. */
export const devWalletFactoryAbi = parseAbi([
  'function createWallet(address owner, bytes32 salt) returns (address wallet)',
  'function walletOf(address owner, bytes32 salt) view returns (address)',
])

/** DevChannelEscrow: the escrow of payment channels, with the names of `@x402/evm` 2.27.0. */
export const devChannelEscrowAbi = parseAbi([
  'struct ChannelConfig { address payer; address payerAuthorizer; address receiver; address receiverAuthorizer; address token; uint40 withdrawDelay; bytes32 salt; }',
  'struct Voucher { ChannelConfig channel; uint128 maxClaimableAmount; }',
  'struct VoucherClaim { Voucher voucher; bytes signature; uint128 totalClaimed; }',
  'function CHANNEL_CONFIG_TYPEHASH() view returns (bytes32)',
  'function channels(bytes32 channelId) view returns (uint128 balance, uint128 totalClaimed)',
  'function claim(VoucherClaim[] voucherClaims)',
  'function claimWithSignature(VoucherClaim[] voucherClaims, bytes authorizerSignature)',
  'function deposit(ChannelConfig config, uint128 amount, address collector, bytes collectorData)',
  'function finalizeWithdraw(ChannelConfig config)',
  'function getChannelId(ChannelConfig config) view returns (bytes32)',
  'function getClaimBatchDigest(VoucherClaim[] voucherClaims) view returns (bytes32)',
  'function getRefundDigest(bytes32 channelId, uint256 nonce, uint128 amount) view returns (bytes32)',
  'function getVoucherDigest(bytes32 channelId, uint128 maxClaimableAmount) view returns (bytes32)',
  'function initiateWithdraw(ChannelConfig config, uint128 amount)',
  'function multicall(bytes[] data) returns (bytes[] results)',
  'function pendingWithdrawals(bytes32 channelId) view returns (uint128 amount, uint40 initiatedAt)',
  'function receivers(address receiver, address token) view returns (uint128 totalClaimed, uint128 totalSettled)',
  'function refund(ChannelConfig config, uint128 amount)',
  'function refundNonce(bytes32 channelId) view returns (uint256)',
  'function refundWithSignature(ChannelConfig config, uint128 amount, uint256 nonce, bytes receiverAuthorizerSignature)',
  'function settle(address receiver, address token)',
  'event ChannelClosed(bytes32 indexed channelId, ChannelConfig config)',
  'event ChannelCreated(bytes32 indexed channelId, ChannelConfig config)',
  'event Claimed(bytes32 indexed channelId, address indexed sender, uint128 claimAmount, uint128 newTotalClaimed)',
  'event Deposited(bytes32 indexed channelId, address indexed sender, uint128 amount, uint128 newBalance)',
  'event Refunded(bytes32 indexed channelId, address indexed sender, uint128 amount)',
  'event Settled(address indexed receiver, address indexed token, address indexed sender, uint128 amount)',
  'event WithdrawFinalized(bytes32 indexed channelId, address indexed sender, uint128 amount)',
  'event WithdrawInitiated(bytes32 indexed channelId, uint128 amount, uint40 finalizesAt)',
])

/** DevCaptureEscrow: the part of x402's `auth-capture` that tests of reports call. */
export const devCaptureEscrowAbi = parseAbi([
  'struct PaymentInfo { address operator; address payer; address receiver; address token; uint120 maxAmount; uint48 preApprovalExpiry; uint48 authorizationExpiry; uint48 refundExpiry; uint16 minFeeBps; uint16 maxFeeBps; address feeReceiver; uint256 salt; }',
  'function authorize(PaymentInfo info, uint256 amount, address tokenCollector, bytes collectorData)',
  'function capture(PaymentInfo info, uint256 amount, uint16 feeBps, address feeReceiver)',
  'function charge(PaymentInfo info, uint256 amount, address tokenCollector, bytes collectorData, uint16 feeBps, address feeReceiver)',
  'function getHash(PaymentInfo info) view returns (bytes32)',
  'function void(PaymentInfo info)',
  'event PaymentCaptured(bytes32 indexed paymentInfoHash, uint256 amount, uint16 feeBps, address feeReceiver)',
  'event PaymentCharged(bytes32 indexed paymentInfoHash, PaymentInfo paymentInfo, uint256 amount, address tokenCollector, uint16 feeBps, address feeReceiver)',
])
