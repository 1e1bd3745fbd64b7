// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import { IToken } from "./SignatureTransfer.sol";

/// @title Escrow of authorized payments with the functions, hashes and events of x402's `auth-capture`.
/// @notice Of these: authorize, capture, charge and void, for tests of reports. It collects deposits itself, and leaves
///   it to the operator to respect amounts and times.
/// @dev No constructor and no immutables, so the runtime code works at whatever address it is put.
contract DevCaptureEscrow {
  bytes32 private constant PAYMENT_INFO_TYPEHASH =
    keccak256("PaymentInfo(address operator,address payer,address receiver,address token,uint120 maxAmount,uint48 preApprovalExpiry,uint48 authorizationExpiry,uint48 refundExpiry,uint16 minFeeBps,uint16 maxFeeBps,address feeReceiver,uint256 salt)");

  struct PaymentInfo {
    address operator;
    address payer;
    address receiver;
    address token;
    uint120 maxAmount;
    uint48 preApprovalExpiry;
    uint48 authorizationExpiry;
    uint48 refundExpiry;
    uint16 minFeeBps;
    uint16 maxFeeBps;
    address feeReceiver;
    uint256 salt;
  }

  /// @dev By the hash of a payment: what was authorized and not captured.
  mapping(bytes32 => uint256) private capturable;

  event PaymentAuthorized(bytes32 indexed paymentInfoHash, PaymentInfo paymentInfo, uint256 amount, address tokenCollector);
  event PaymentCaptured(bytes32 indexed paymentInfoHash, uint256 amount, uint16 feeBps, address feeReceiver);
  event PaymentCharged(bytes32 indexed paymentInfoHash, PaymentInfo paymentInfo, uint256 amount, address tokenCollector, uint16 feeBps, address feeReceiver);
  event PaymentVoided(bytes32 indexed paymentInfoHash, uint256 amount);

  /// @param collectorData the payer's ERC-3009 signature for the highest amount.
  function authorize(PaymentInfo calldata info, uint256 amount, address tokenCollector, bytes calldata collectorData) external {
    bytes32 id = getHash(info);
    capturable[id] += amount;
    emit PaymentAuthorized(id, info, amount, tokenCollector);
    collect(info, amount, collectorData);
  }

  function capture(PaymentInfo calldata info, uint256 amount, uint16 feeBps, address feeReceiver) external {
    bytes32 id = getHash(info);
    capturable[id] -= amount;
    emit PaymentCaptured(id, amount, feeBps, feeReceiver);
    pay(info, amount, feeBps, feeReceiver);
  }

  /// @notice Collects and pays at once.
  function charge(PaymentInfo calldata info, uint256 amount, address tokenCollector, bytes calldata collectorData, uint16 feeBps, address feeReceiver) external {
    emit PaymentCharged(getHash(info), info, amount, tokenCollector, feeBps, feeReceiver);
    collect(info, amount, collectorData);
    pay(info, amount, feeBps, feeReceiver);
  }

  /// @notice Returns what was not captured to the payer.
  function void(PaymentInfo calldata info) external {
    bytes32 id = getHash(info);
    uint256 amount = capturable[id];
    capturable[id] = 0;
    emit PaymentVoided(id, amount);
    IToken(info.token).transfer(info.payer, amount);
  }

  function getHash(PaymentInfo memory info) public view returns (bytes32) {
    return keccak256(abi.encode(block.chainid, address(this), keccak256(abi.encode(PAYMENT_INFO_TYPEHASH, info))));
  }

  /// @dev The payer signs before it is part of the terms: the nonce is the hash without it.
  function collect(PaymentInfo memory info, uint256 amount, bytes calldata signature) private {
    address payer = info.payer;
    info.payer = address(0);
    IToken(info.token).receiveWithAuthorization(
      payer, address(this), info.maxAmount, 0, info.preApprovalExpiry, getHash(info), signature
    );
    if (amount < info.maxAmount) IToken(info.token).transfer(payer, info.maxAmount - amount);
  }

  function pay(PaymentInfo calldata info, uint256 amount, uint16 feeBps, address feeReceiver) private {
    require(msg.sender == info.operator, "caller must be the operator");
    uint256 fee = amount * feeBps / 10_000;
    if (fee > 0) IToken(info.token).transfer(feeReceiver, fee);
    IToken(info.token).transfer(info.receiver, amount - fee);
  }
}
