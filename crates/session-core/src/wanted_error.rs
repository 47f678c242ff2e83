//! An error whose cures are looked for.

use crate::call_status::CallStatus;
use crate::error_lines::find_error_lines;
use crate::error_signature::ErrorSignature;
use crate::qualified_names::QualifiedNames;

/// An error that is looked for: its signature, and the names with a `/` in its line, which the signature leaves out as paths.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedError {
    /// The signature.
    pub signature: ErrorSignature,
    names: QualifiedNames,
}

impl WantedError {
    /// Reads the names of a line with a signature, or of a part of such a line.
    pub fn new(signature: ErrorSignature, line: &str) -> Self {
        let names = QualifiedNames::read(line);
        Self { signature, names }
    }

    /// Reads the error lines of a command's output, each error once.
    pub fn read_all(output: &str) -> Vec<Self> {
        let mut errors = Vec::new();
        for line in find_error_lines(output, CallStatus::Failed) {
            let error = ErrorSignature::new(&line).map(|signature| Self::new(signature, &line));
            errors.extend(error.filter(|error| !errors.contains(error)));
        }
        errors
    }

    /// Returns true for a line with a signature that is this error.
    pub fn is_in(&self, signature: ErrorSignature, line: &str) -> bool {
        self.signature == signature && self.names.is_held_by(line)
    }

    /// Returns true if an error with its signature may be another one: its line has names or paths.
    pub fn shares_signature(&self) -> bool {
        self.names.has_slash()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_one_signature_differ_by_their_names() {
        let output = "Error: Cannot find module '@acme/lamp'\nError: Cannot find module '@acme/oil'\n\
            Error: Cannot find module '@acme/lamp'\n";
        let errors = WantedError::read_all(output);
        assert_eq!(errors.len(), 2);
        assert_eq!(errors[0].signature, errors[1].signature);
        assert_eq!(ErrorSignature::read_all(output), [errors[0].signature]);
        let is_in = |line| errors[0].is_in(ErrorSignature::new(line).unwrap(), line);
        assert!(is_in("Error: Cannot find module '@acme/lamp'"));
        assert!(!is_in("Error: Cannot find module '@acme/oil'"));
        assert!(!is_in("Error: Cannot open module '@acme/lamp'"));
        let path = WantedError::read_all("Error: Cannot find module './lamp'").remove(0);
        assert!(path.signature == errors[0].signature && path.shares_signature());
        let line = "Error: Cannot find module '@acme/lamp'";
        assert!(!path.is_in(path.signature, line));
    }
}
