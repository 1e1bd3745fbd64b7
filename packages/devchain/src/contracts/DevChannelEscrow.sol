// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import { SignatureCheck } from "./SignatureCheck.sol";
import { IToken } from "./SignatureTransfer.sol";

/// @dev Moves a deposit from the payer to the escrow, which calls it.
interface IDepositCollector {
  function collect(address payer, address token, uint256 amount, bytes32 channelId, bytes calldata data) external;
}

/// @title Escrow of payment channels: the functions, events and EIP-712 types of x402's `batch-settlement`.
/// @notice A payer deposits once and signs vouchers. A claim moves a part of the deposit to the receiver's
///   account, a settlement pays that account out, and a refund or withdrawal returns the rest.
/// @dev No constructor and no immutables, so the runtime code works at whatever address it is put.
contract DevChannelEscrow {
  uint40 private constant MIN_WITHDRAW_DELAY = 15 minutes;
  uint40 private constant MAX_WITHDRAW_DELAY = 30 days;

  bytes32 private constant DOMAIN_TYPEHASH =
    keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)");
  bytes32 public constant CHANNEL_CONFIG_TYPEHASH =
    keccak256("ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)");
  bytes32 private constant VOUCHER_TYPEHASH = keccak256("Voucher(bytes32 channelId,uint128 maxClaimableAmount)");
  bytes32 private constant REFUND_TYPEHASH = keccak256("Refund(bytes32 channelId,uint256 nonce,uint128 amount)");
  bytes32 private constant CLAIM_ENTRY_TYPEHASH =
    keccak256("ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)");
  bytes32 private constant CLAIM_BATCH_TYPEHASH =
    keccak256("ClaimBatch(ClaimEntry[] claims)ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)");

  struct ChannelConfig {
    address payer;
    /// @dev Signs vouchers; if zero, the payer does, also as a contract wallet.
    address payerAuthorizer;
    address receiver;
    address receiverAuthorizer;
    address token;
    uint40 withdrawDelay;
    bytes32 salt;
  }

  struct Voucher {
    ChannelConfig channel;
    /// @dev Of the channel's whole life.
    uint128 maxClaimableAmount;
  }

  struct VoucherClaim {
    Voucher voucher;
    bytes signature;
    uint128 totalClaimed;
  }

  struct Channel {
    /// @dev Deposits less refunds and withdrawals. Claims do not reduce it.
    uint128 balance;
    uint128 totalClaimed;
  }

  struct Withdrawal {
    uint128 amount;
    uint40 initiatedAt;
  }

  struct Account {
    uint128 totalClaimed;
    uint128 totalSettled;
  }

  mapping(bytes32 => Channel) public channels;
  mapping(bytes32 => Withdrawal) public pendingWithdrawals;
  /// @notice The nonce of a channel's next signed refund.
  mapping(bytes32 => uint256) public refundNonce;
  mapping(address => mapping(address => Account)) public receivers;

  event ChannelCreated(bytes32 indexed channelId, ChannelConfig config);
  event ChannelClosed(bytes32 indexed channelId, ChannelConfig config);
  event Deposited(bytes32 indexed channelId, address indexed sender, uint128 amount, uint128 newBalance);
  event Claimed(bytes32 indexed channelId, address indexed sender, uint128 claimAmount, uint128 newTotalClaimed);
  event Settled(address indexed receiver, address indexed token, address indexed sender, uint128 amount);
  event Refunded(bytes32 indexed channelId, address indexed sender, uint128 amount);
  event WithdrawInitiated(bytes32 indexed channelId, uint128 amount, uint40 finalizesAt);
  event WithdrawFinalized(bytes32 indexed channelId, address indexed sender, uint128 amount);

  /// @notice Runs several calls of this contract in one transaction; all succeed or none.
  function multicall(bytes[] calldata data) external returns (bytes[] memory results) {
    results = new bytes[](data.length);
    for (uint256 at = 0; at < data.length; at++) {
      (bool isDone, bytes memory result) = address(this).delegatecall(data[at]);
      if (!isDone) assembly { revert(add(result, 0x20), mload(result)) }
      results[at] = result;
    }
  }

  // Deposits

  function deposit(ChannelConfig calldata config, uint128 amount, address collector, bytes calldata collectorData) external {
    require(config.payer != address(0) && config.receiver != address(0), "invalid channel");
    require(config.receiverAuthorizer != address(0), "invalid channel");
    require(config.withdrawDelay >= MIN_WITHDRAW_DELAY && config.withdrawDelay <= MAX_WITHDRAW_DELAY, "invalid delay");
    require(amount > 0, "nothing to deposit");
    bytes32 id = getChannelId(config);
    Channel storage channel = channels[id];
    channel.balance += amount;
    uint256 before = IToken(config.token).balanceOf(address(this));
    IDepositCollector(collector).collect(config.payer, config.token, amount, id, collectorData);
    require(IToken(config.token).balanceOf(address(this)) == before + amount, "deposit not received");
    if (channel.balance == amount) emit ChannelCreated(id, config);
    emit Deposited(id, msg.sender, amount, channel.balance);
  }

  // Claims and settlements

  /// @notice Sent by the receiver or its authorizer.
  function claim(VoucherClaim[] calldata voucherClaims) external {
    require(voucherClaims.length > 0, "nothing to claim");
    for (uint256 at = 0; at < voucherClaims.length; at++) {
      requireReceiver(voucherClaims[at].voucher.channel);
      claimOne(voucherClaims[at]);
    }
  }

  /// @notice Sent by anyone, with a signature of the authorizer that all channels share.
  function claimWithSignature(VoucherClaim[] calldata voucherClaims, bytes calldata authorizerSignature) external {
    require(voucherClaims.length > 0, "nothing to claim");
    address authorizer = voucherClaims[0].voucher.channel.receiverAuthorizer;
    require(SignatureCheck.isValid(authorizer, getClaimBatchDigest(voucherClaims), authorizerSignature), "invalid authorizer signature");
    for (uint256 at = 0; at < voucherClaims.length; at++) {
      require(voucherClaims[at].voucher.channel.receiverAuthorizer == authorizer, "several authorizers");
      claimOne(voucherClaims[at]);
    }
  }

  /// @notice Pays out what was claimed for the receiver since the last settlement, if anything was.
  function settle(address receiver, address token) external {
    Account storage account = receivers[receiver][token];
    uint128 amount = account.totalClaimed - account.totalSettled;
    if (amount == 0) return;
    account.totalSettled = account.totalClaimed;
    IToken(token).transfer(receiver, amount);
    emit Settled(receiver, token, msg.sender, amount);
  }

  /// @dev A claim that is not above the last one changes nothing, so that a batch sent twice is harmless.
  function claimOne(VoucherClaim calldata what) private {
    ChannelConfig calldata config = what.voucher.channel;
    bytes32 id = getChannelId(config);
    Channel storage channel = channels[id];
    if (what.totalClaimed <= channel.totalClaimed) return;
    require(what.totalClaimed <= what.voucher.maxClaimableAmount, "above the voucher");
    require(what.totalClaimed <= channel.balance, "above the balance");
    bytes32 digest = getVoucherDigest(id, what.voucher.maxClaimableAmount);
    bool isSigned = config.payerAuthorizer == address(0)
      ? SignatureCheck.isValid(config.payer, digest, what.signature)
      : SignatureCheck.recover(digest, what.signature) == config.payerAuthorizer;
    require(isSigned, "invalid voucher signature");
    uint128 amount = what.totalClaimed - channel.totalClaimed;
    channel.totalClaimed = what.totalClaimed;
    receivers[config.receiver][config.token].totalClaimed += amount;
    emit Claimed(id, msg.sender, amount, what.totalClaimed);
  }

  // Refunds, by consent of the receiver

  /// @notice Sent by the receiver or its authorizer. Returns at most what is not claimed.
  function refund(ChannelConfig calldata config, uint128 amount) external {
    requireReceiver(config);
    giveBack(config, amount);
  }

  function refundWithSignature(ChannelConfig calldata config, uint128 amount, uint256 nonce, bytes calldata receiverAuthorizerSignature) external {
    bytes32 id = getChannelId(config);
    require(nonce == refundNonce[id], "invalid refund nonce");
    bytes32 digest = getRefundDigest(id, nonce, amount);
    require(SignatureCheck.isValid(config.receiverAuthorizer, digest, receiverAuthorizerSignature), "invalid refund signature");
    giveBack(config, amount);
  }

  /// @dev The nonce advances with every refund, even if nothing is left, so a signed refund is never sent twice.
  function giveBack(ChannelConfig calldata config, uint128 wanted) private {
    require(wanted > 0, "nothing to refund");
    bytes32 id = getChannelId(config);
    refundNonce[id]++;
    uint128 amount = take(id, wanted);
    if (amount == 0) return;
    Withdrawal storage pending = pendingWithdrawals[id];
    if (pending.amount > amount) pending.amount -= amount;
    else delete pendingWithdrawals[id];
    emit Refunded(id, msg.sender, amount);
    payBack(config, id, amount);
  }

  // Withdrawals, by the payer alone after a delay

  function initiateWithdraw(ChannelConfig calldata config, uint128 amount) external {
    requirePayer(config);
    bytes32 id = getChannelId(config);
    require(pendingWithdrawals[id].initiatedAt == 0, "already initiated");
    require(amount > 0 && amount <= unclaimedOf(id), "above what is not claimed");
    pendingWithdrawals[id] = Withdrawal(amount, uint40(block.timestamp));
    emit WithdrawInitiated(id, amount, uint40(block.timestamp) + config.withdrawDelay);
  }

  function finalizeWithdraw(ChannelConfig calldata config) external {
    requirePayer(config);
    bytes32 id = getChannelId(config);
    Withdrawal memory pending = pendingWithdrawals[id];
    require(pending.initiatedAt > 0, "not initiated");
    require(block.timestamp >= pending.initiatedAt + config.withdrawDelay, "withdrawal is delayed");
    delete pendingWithdrawals[id];
    uint128 amount = take(id, pending.amount);
    emit WithdrawFinalized(id, msg.sender, amount);
    payBack(config, id, amount);
  }

  // What is signed

  function getChannelId(ChannelConfig calldata config) public view returns (bytes32) {
    return toDigest(keccak256(abi.encode(CHANNEL_CONFIG_TYPEHASH, config)));
  }

  function getVoucherDigest(bytes32 channelId, uint128 maxClaimableAmount) public view returns (bytes32) {
    return toDigest(keccak256(abi.encode(VOUCHER_TYPEHASH, channelId, maxClaimableAmount)));
  }

  function getRefundDigest(bytes32 channelId, uint256 nonce, uint128 amount) public view returns (bytes32) {
    return toDigest(keccak256(abi.encode(REFUND_TYPEHASH, channelId, nonce, amount)));
  }

  function getClaimBatchDigest(VoucherClaim[] calldata voucherClaims) public view returns (bytes32) {
    bytes32[] memory entries = new bytes32[](voucherClaims.length);
    for (uint256 at = 0; at < voucherClaims.length; at++) {
      Voucher calldata voucher = voucherClaims[at].voucher;
      bytes32 id = getChannelId(voucher.channel);
      entries[at] = keccak256(
        abi.encode(CLAIM_ENTRY_TYPEHASH, id, voucher.maxClaimableAmount, voucherClaims[at].totalClaimed)
      );
    }
    return toDigest(keccak256(abi.encode(CLAIM_BATCH_TYPEHASH, keccak256(abi.encodePacked(entries)))));
  }

  /// @dev The domain is computed at each call because the code does not know its address.
  function toDigest(bytes32 structHash) private view returns (bytes32) {
    bytes32 domain = keccak256(
      abi.encode(DOMAIN_TYPEHASH, keccak256("x402 Batch Settlement"), keccak256("1"), block.chainid, address(this))
    );
    return keccak256(abi.encodePacked(hex"1901", domain, structHash));
  }

  /// @dev Reduces the balance by the wanted amount, or by what is not claimed if that is less.
  function take(bytes32 id, uint128 wanted) private returns (uint128 amount) {
    uint128 unclaimed = unclaimedOf(id);
    amount = wanted < unclaimed ? wanted : unclaimed;
    channels[id].balance -= amount;
  }

  function payBack(ChannelConfig calldata config, bytes32 id, uint128 amount) private {
    if (channels[id].balance == 0) emit ChannelClosed(id, config);
    if (amount > 0) IToken(config.token).transfer(config.payer, amount);
  }

  function unclaimedOf(bytes32 id) private view returns (uint128) {
    return channels[id].balance - channels[id].totalClaimed;
  }

  function requireReceiver(ChannelConfig calldata config) private view {
    require(msg.sender == config.receiver || msg.sender == config.receiverAuthorizer, "caller must be the receiver");
  }

  function requirePayer(ChannelConfig calldata config) private view {
    require(msg.sender == config.payer || msg.sender == config.payerAuthorizer, "caller must be the payer");
  }
}
