import { parseAbi } from 'viem'

/** The functions of DevUsdc that tests and the demo week call. All but `mint` are in FiatTokenV2_2. */
export const devUsdcAbi = parseAbi([
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function authorizationState(address authorizer, bytes32 nonce) view returns (bool)',
  'function balanceOf(address account) view returns (uint256)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)',
  'function mint(address to, uint256 value)',
  'function nonces(address owner) view returns (uint256)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
  'function permit(address owner, address spender, uint256 value, uint256 deadline, bytes signature)',
  'function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function receiveWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'function totalSupply() view returns (uint256)',
  'function transfer(address to, uint256 value) returns (bool)',
  'function transferFrom(address from, address to, uint256 value) returns (bool)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
  'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, bytes signature)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'event AuthorizationCanceled(address indexed authorizer, bytes32 indexed nonce)',
  'event AuthorizationUsed(address indexed authorizer, bytes32 indexed nonce)',
  'event Transfer(address indexed from, address indexed to, uint256 value)',
])

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

/** DevUptoProxy: x402UptoPermit2Proxy, with the errors of Permit2 that pass through it. */
export const devUptoProxyAbi = parseAbi([
  'struct TokenPermissions { address token; uint256 amount; }',
  'struct PermitTransferFrom { TokenPermissions permitted; uint256 nonce; uint256 deadline; }',
  'struct EIP2612Permit { uint256 value; uint256 deadline; bytes32 r; bytes32 s; uint8 v; }',
  'struct Witness { address to; address facilitator; uint256 validAfter; }',
  'function settle(PermitTransferFrom permit, uint256 amount, address owner, Witness witness, bytes signature)',
  'function settleWithPermit(EIP2612Permit permit2612, PermitTransferFrom permit, uint256 amount, address owner, Witness witness, bytes signature)',
  'event Settled()',
  'event SettledWithPermit()',
  'error AmountExceedsPermitted()',
  'error InvalidAmount()',
  'error InvalidDestination()',
  'error InvalidNonce()',
  'error InvalidOwner()',
  'error InvalidSigner()',
  'error PaymentTooEarly()',
  'error Permit2612AmountMismatch()',
  'error SignatureExpired(uint256 signatureDeadline)',
  'error UnauthorizedFacilitator()',
])

/** DevExactProxy: x402ExactPermit2Proxy, with the errors of Permit2 that pass through it. */
export const devExactProxyAbi = parseAbi([
  'struct TokenPermissions { address token; uint256 amount; }',
  'struct PermitTransferFrom { TokenPermissions permitted; uint256 nonce; uint256 deadline; }',
  'struct EIP2612Permit { uint256 value; uint256 deadline; bytes32 r; bytes32 s; uint8 v; }',
  'struct Witness { address to; uint256 validAfter; }',
  'function settle(PermitTransferFrom permit, address owner, Witness witness, bytes signature)',
  'function settleWithPermit(EIP2612Permit permit2612, PermitTransferFrom permit, address owner, Witness witness, bytes signature)',
  'event Settled()',
  'event SettledWithPermit()',
  'error InvalidAmount()',
  'error InvalidDestination()',
  'error InvalidNonce()',
  'error InvalidOwner()',
  'error InvalidSigner()',
  'error PaymentTooEarly()',
  'error Permit2612AmountMismatch()',
  'error SignatureExpired(uint256 signatureDeadline)',
])

/** DevMulticall3: the part of Multicall3 that x402 tools call. */
export const devMulticall3Abi = parseAbi([
  'struct Call { address target; bytes callData; }',
  'struct Call3 { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call3[] calls) payable returns (Result[] results)',
  'function getBlockNumber() view returns (uint256)',
  'function getChainId() view returns (uint256)',
  'function getCurrentBlockTimestamp() view returns (uint256)',
  'function getEthBalance(address account) view returns (uint256)',
  'function tryAggregate(bool requireSuccess, Call[] calls) payable returns (Result[] results)',
  'function tryBlockAndAggregate(bool requireSuccess, Call[] calls) payable returns (uint256 blockNumber, bytes32 blockHash, Result[] results)',
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
