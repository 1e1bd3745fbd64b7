// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.30;

import { Permit2Settlement } from "./Permit2Settlement.sol";
import { ISignatureTransfer } from "./SignatureTransfer.sol";

/// @title x402ExactPermit2Proxy (0x402085c248EeA27D92E8b30b2C58ed07f9E20001): settles exactly what was signed.
/// @dev No constructor and no immutables, so the runtime code works at whatever address it is put.
contract DevExactProxy is Permit2Settlement {
  string public constant WITNESS_TYPE_STRING =
    "Witness witness)TokenPermissions(address token,uint256 amount)Witness(address to,uint256 validAfter)";
  bytes32 public constant WITNESS_TYPEHASH = keccak256("Witness(address to,uint256 validAfter)");

  /// @dev The payee. Anyone may settle, since nothing but the signed payment can come of it.
  struct Witness {
    address to;
    uint256 validAfter;
  }

  function settle(
    ISignatureTransfer.PermitTransferFrom calldata permit,
    address owner,
    Witness calldata witness,
    bytes calldata signature
  ) external {
    pay(permit, owner, witness, signature);
    emit Settled();
  }

  function settleWithPermit(
    EIP2612Permit calldata permit2612,
    ISignatureTransfer.PermitTransferFrom calldata permit,
    address owner,
    Witness calldata witness,
    bytes calldata signature
  ) external {
    approvePermit2(permit.permitted, owner, permit2612);
    pay(permit, owner, witness, signature);
    emit SettledWithPermit();
  }

  function pay(
    ISignatureTransfer.PermitTransferFrom calldata permit,
    address owner,
    Witness calldata witness,
    bytes calldata signature
  ) private {
    requirePayable(permit.permitted.amount, owner, witness.to, witness.validAfter);
    PERMIT2.permitWitnessTransferFrom(
      permit,
      ISignatureTransfer.SignatureTransferDetails(witness.to, permit.permitted.amount),
      owner,
      keccak256(abi.encode(WITNESS_TYPEHASH, witness)),
      WITNESS_TYPE_STRING,
      signature
    );
  }
}
