// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import { ISignatureTransfer, IToken } from "./SignatureTransfer.sol";

/// @title What both x402 Permit2 proxies have in common: the way from a permit to Permit2.
abstract contract Permit2Settlement {
  ISignatureTransfer public constant PERMIT2 = ISignatureTransfer(0x000000000022D473030F116dDEE9F6B43aC78BA3);

  /// @dev An EIP-2612 permit that gives Permit2 its allowance in the same transaction.
  struct EIP2612Permit {
    uint256 value;
    uint256 deadline;
    bytes32 r;
    bytes32 s;
    uint8 v;
  }

  event Settled();
  event SettledWithPermit();

  error InvalidAmount();
  error InvalidDestination();
  error InvalidOwner();
  error PaymentTooEarly();
  error Permit2612AmountMismatch();

  /// @dev A permit that fails is passed over: someone may have submitted it before, and then the allowance is there.
  function approvePermit2(
    ISignatureTransfer.TokenPermissions calldata permitted,
    address owner,
    EIP2612Permit calldata permit2612
  ) internal {
    if (permit2612.value != permitted.amount) revert Permit2612AmountMismatch();
    try IToken(permitted.token).permit(
      owner, address(PERMIT2), permit2612.value, permit2612.deadline, permit2612.v, permit2612.r, permit2612.s
    ) {} catch {}
  }

  function requirePayable(uint256 amount, address owner, address to, uint256 validAfter) internal view {
    if (amount == 0) revert InvalidAmount();
    if (owner == address(0)) revert InvalidOwner();
    if (to == address(0)) revert InvalidDestination();
    if (block.timestamp < validAfter) revert PaymentTooEarly();
  }
}
