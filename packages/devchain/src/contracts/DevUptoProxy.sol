// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import { Permit2Settlement } from "./Permit2Settlement.sol";
import { ISignatureTransfer } from "./SignatureTransfer.sol";

/// @title x402UptoPermit2Proxy (0x4020A4f3b7b90ccA423B9fabCc0CE57C6C240002): settles at most what was signed.
/// @dev No constructor and no immutables, so the runtime code works at whatever address it is put.
contract DevUptoProxy is Permit2Settlement {
  string public constant WITNESS_TYPE_STRING =
    "Witness witness)TokenPermissions(address token,uint256 amount)Witness(address to,address facilitator,uint256 validAfter)";
  bytes32 public constant WITNESS_TYPEHASH = keccak256("Witness(address to,address facilitator,uint256 validAfter)");

  /// @dev The payee, and the only wallet that may settle.
  struct Witness {
    address to;
    address facilitator;
    uint256 validAfter;
  }

  error AmountExceedsPermitted();
  error UnauthorizedFacilitator();

  function settle(
    ISignatureTransfer.PermitTransferFrom calldata permit,
    uint256 amount,
    address owner,
    Witness calldata witness,
    bytes calldata signature
  ) external {
    pay(permit, amount, owner, witness, signature);
    emit Settled();
  }

  function settleWithPermit(
    EIP2612Permit calldata permit2612,
    ISignatureTransfer.PermitTransferFrom calldata permit,
    uint256 amount,
    address owner,
    Witness calldata witness,
    bytes calldata signature
  ) external {
    approvePermit2(permit.permitted, owner, permit2612);
    pay(permit, amount, owner, witness, signature);
    emit SettledWithPermit();
  }

  function pay(
    ISignatureTransfer.PermitTransferFrom calldata permit,
    uint256 amount,
    address owner,
    Witness calldata witness,
    bytes calldata signature
  ) private {
    if (amount > permit.permitted.amount) revert AmountExceedsPermitted();
    if (msg.sender != witness.facilitator) revert UnauthorizedFacilitator();
    requirePayable(amount, owner, witness.to, witness.validAfter);
    PERMIT2.permitWitnessTransferFrom(
      permit,
      ISignatureTransfer.SignatureTransferDetails(witness.to, amount),
      owner,
      keccak256(abi.encode(WITNESS_TYPEHASH, witness)),
      WITNESS_TYPE_STRING,
      signature
    );
  }
}
