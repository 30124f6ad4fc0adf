"""The sandbox: what a process gives up before it runs code that nobody trusts."""

from tritonrl.verify.sandbox.confine import Profile, Report, confine, enter_namespaces

__all__ = ["Profile", "Report", "confine", "enter_namespaces"]
